"""Container images for the real node, made without a registry: tiny ones of one static program, and the product's."""
