"""The agents whose settings brainctl can edit: where they lie, what they want, and how to change one key of them."""
