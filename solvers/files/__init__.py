"""What is kept on disk: tablebases, strategy files, best moves of small games."""
