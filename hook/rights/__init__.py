"""Which rights a run needs, and the Roles that grant just these."""
