"""What hostile hands and failing disks would try, made by a seed: `make attack` tries all of it, the tests a part.

No made value may be in the code: generators build them from the seed, so that no list of the product can know them.
"""
