"""The native engine: the Model compiled to LLVM IR and run in process."""
