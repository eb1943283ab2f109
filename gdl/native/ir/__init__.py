"""How does code become machine code? A builder of LLVM IR as text, the run-time library, the compiler."""
