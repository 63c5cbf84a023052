// Only for Cargo, which wants a source.
