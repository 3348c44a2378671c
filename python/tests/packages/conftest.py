"""Tests with packages from the registry run when they are asked for: `MW_PACKAGES=1 pytest python/tests/packages`.

They need mlx-lm 0.32.2; without it they fail.
"""

import os

collect_ignore_glob = [] if os.environ.get("MW_PACKAGES") else ["test_*.py"]
