"""What the pods of an old generation still need inside shared objects: one idea a file, each a pair of functions.

`carry_...(body, live, owned)` completes a body that is about to be applied, in place, and says what it added;
`lost_...(desired, live, owned)` says what cannot be kept. `owned` are the fields of the live object that count as the
component's own. Pure, and without any secret value in what is said.
"""
