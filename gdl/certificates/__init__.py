"""Does a value follow from the rules alone? Certificates, for anybody to check; no solver is known here."""
