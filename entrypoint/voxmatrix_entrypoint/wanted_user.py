"""PUID and PGID, by which many images of home servers are told to become a user: what to say instead in ours.

Those images start as root and become that user. Ours are not root unless started so, and cannot become another.
"""

import re
from collections.abc import Mapping

from voxmatrix.errors import Finding
from voxmatrix.ownership import Process


def unheard_user(environment: Mapping[str, str], process: Process) -> Finding | None:
    """A warning if PUID or PGID is set and the container runs as another user."""
    asked = {name: value for name in ("PUID", "PGID") if (value := environment.get(name, "").strip())}
    user, group = asked.get("PUID", str(process.user)), asked.get("PGID", "0")
    is_so = user == str(process.user) and ("PGID" not in asked or group in map(str, process.groups))
    if not asked or is_so or (process.mapped and process.user == 0):
        return None
    if process.mapped:
        user, group = "0", "0"  # who starts a rootless container, and whose number outside it PUID is
    elif not all(re.fullmatch("[0-9]+", value) for value in (user, group)):
        user, group = "UID", "GID"
    said = " and ".join(f"{name}={value}" for name, value in asked.items())
    return Finding(
        problem=f"images of voxmatrix do not use {said}: this one runs as the user of --user, now {process.user}",
        remedy=f'start it with --user {user}:{group} (Compose: user: "{user}:{group}"; Unraid: that flag in Extra '
        "Parameters; TrueNAS: its User ID and Group ID)",
        severity="warning",
    )
