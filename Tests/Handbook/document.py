# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""The fenced blocks of a document, and its links."""
import os, re

SH = re.compile(r"sh(?: needs=(?P<needs>\S+))?(?: exit=(?P<exit>\d+)| (?P<word>serve|until)| not-run (?P<reason>\S.*))?$")


class Block:
    def __init__(self, document, line, text, match):
        self.document, self.line, self.text = document, line, text
        self.exit = int(match["exit"] or 0)
        self.needs, self.reason = match["needs"], match["reason"]
        self.serves, self.waits = match["word"] == "serve", match["word"] == "until"
        # Lines of the output, from the block that follows.
        self.output = []

    def __str__(self):
        return f"{self.document}:{self.line}"


class DocumentError(Exception):
    pass


def blocks(path):
    """Returns the `sh` blocks of a document, each with the output that the document shows."""
    found, fence, lines, start = [], None, [], 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            if fence is None:
                if line.startswith("```"):
                    fence, lines, start = line[3:].strip(), [], number
            elif line == "```":
                text = "\n".join(lines)
                match = SH.match(fence)
                if match:
                    found.append(Block(path, start, text, match))
                elif fence.split(" ")[0] == "sh":
                    raise DocumentError(f"{path}:{start}: unknown kind of block: {fence}")
                elif fence == "text" and found:
                    found[-1].output += lines
                fence = None
            else:
                lines.append(line)
    if fence is not None:
        raise DocumentError(f"{path}:{start}: the block does not end")
    return found


def missing_lines(wanted, output):
    """Returns the first wanted line that does not follow the others in the output, or nothing."""
    rest = iter(output.split("\n"))
    for line in wanted:
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("…")))
        if not any(pattern.fullmatch(candidate.strip()) for candidate in rest):
            return line
    return None


def anchors(path):
    """Returns the anchors of a document's headings, as web pages of repositories name them."""
    found, fenced = set(), False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("```"):
                fenced = not fenced
            heading = re.match(r"#+ (.*?)\s*$", line)
            if heading and not fenced:
                text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1])
                found.add(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
    return found


def broken_links(path):
    """Returns the links of a document to files and headings that do not exist."""
    broken, fenced = [], False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                fenced = not fenced
            if fenced or line.startswith("    "):
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file_name = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
                if not os.path.exists(file_name):
                    broken.append(f"{path}:{number}: there is no {target}")
                elif anchor and file_name.endswith(".md") and anchor not in anchors(file_name):
                    broken.append(f"{path}:{number}: there is no heading #{anchor} in {file_name}")
    return broken
