"""What is kept on disk? Tablebases, strategy files, certificates, best moves of small games."""
