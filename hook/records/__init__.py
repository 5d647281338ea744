"""The sets of a component in the cluster, behind one small interface."""
