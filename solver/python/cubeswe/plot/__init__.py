"""Pictures of field files, for tools/plot."""
