"""LLVM IR: a builder of text, the run-time library, and machine code in this process."""
