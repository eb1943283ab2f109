"""The checked, typed, desugared game that engines interpret, compile and analyse."""
