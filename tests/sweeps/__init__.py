"""Real handoffs that are disturbed at every place: commands of some minutes, of which the tests take a sample."""
