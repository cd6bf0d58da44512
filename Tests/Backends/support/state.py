"""What a backend knows after it was killed and started again: its secret, and the tokens it no longer takes."""

import secrets
from pathlib import Path


class State:
    """A folder, or memory if there is none."""

    def __init__(self, folder: str | None) -> None:
        self._folder = Path(folder) if folder else None
        self._void = set(self._read("void").split())

    @property
    def secret(self) -> str:
        text = self._read("secret") or secrets.token_urlsafe(48)
        self._write("secret", text)
        return text

    def is_void(self, token_id: str) -> bool:
        return token_id in self._void

    def void(self, token_id: str) -> None:
        self._void.add(token_id)
        self._write("void", "\n".join(sorted(self._void)))

    def _read(self, name: str) -> str:
        file = self._folder / name if self._folder else None
        return file.read_text() if file and file.exists() else ""

    def _write(self, name: str, text: str) -> None:
        if self._folder:
            (self._folder / name).write_text(text)
