#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Checks traces of a server and its clients against PROTOCOL.md: a second implementation of its rules.

A trace has one JSON object per line, in the order in which the server committed its decisions. Times are milliseconds.

Every line     {"t", "history", "event", "session", ...}; histories are independent of each other
config         "window" (W of plain mode), "touch_interval", "retention" (of an ended row; 0 by default), "one_log" (true if
               decisions are listed in the order of one log, of which a database loses the end: a rollback of all
               sessions then leaves a prefix)
open           "after": a sign-in stored a session, or repeated the response of an unused one; optional: "issued", pairs
               [generation, branch] of tokens that count as issued, for a trace that leaves out their lines
refresh, confirm, report, logout: a decision on a presented token
               "presented": {"generation", "branch", "key"}, "intent": hash or null, "idle_lifetime",
               "before", "after": rows, or null ("after" is null, or equal to "before", if nothing changed)
               "answer": "granted" | "superseded" | "final:<reason>" | "none" | "missing" | "refused:<why>"
               "successor": {"generation", "branch", "key", "hash"} or null; "key" and "hash" may be absent
               optional: "mac" ("valid", "wrong", "unknown_key", "retired_key"), "current_key",
               "clock": {"trusted", "window_trusted", "latest"}, "durable" (whether the commit was durable before the answer),
               "holder": "thief" (rules for clients do not apply)
               "undetermined": true if the database's connection was lost as it was written, or the flush failed: it may be
               committed; "durable" is false after a failed flush: it is durable once a later answer depends on it
revoke         "reason": the session was ended without its refresh token; "t" is the row's ended_at
expire         the session has expired by "t"; nothing is stored
delete         the clean-up deleted the row; "before" may be absent
rollback       "session", or null for all: the database lost its last commits; "loses_durable": also durable ones
unlisted       a transaction that is no decision may be committed, as the database's connection was lost: it may have opened
               sessions, of which nobody was told, or ended some
store          "client" (one store; default: the session), "session" of its record or null, "generation", "intent",
               "tombstones": sessions whose logout is pending; "reverted": a power failure or a backup brought this record back
send           "client", "kind" (refresh, confirm, report, logout), "generation", "intent";
               "holder": "thief" or "plain" (a client without intents): rules for clients do not apply;
               "storeless": its store is unavailable, so that a sign-out has no tombstone

A row has mode (intent, plain, static), cur, branch, intent, next, successor_kid, bound_at, proved_at, created_at,
last_used_at, idle_end, absolute_end, ended_at, reason, contract. Other fields are ignored.

usage: trace.py [--rules] [FILE ...]    reads standard input without FILE; exit 1 if a line breaks a rule;
                                        --rules counts the decisions by rule
"""
import json
import sys
from collections import Counter, namedtuple

from trace_clients import Clients
from trace_rules import Broken, Decision, Verdict, differences, normal, require

# The reasons that only a presented token leads to.
BY_TOKEN = {'fork', 'reuse', 'stale_holder', 'logout'}
SERVER_EVENTS = {'refresh', 'confirm', 'report', 'logout'}
ELSEWHERE = {'refused:elsewhere', 'refused:other_client'}


# --- a session's rows in the order of their commits

# A change of a row that may have been committed; `alive` is the row after it without the end that follows, if there is one.
Change = namedtuple('Change', 'before after durable number alive')


class Session:
    def __init__(self):
        self.versions = []         # [row or None, is it durable (None: once an answer depends on it), number]
        self.lost = False          # whether commits may have been lost since the last line
        self.deleted = False       # the clean-up deleted the row: the answer was final
        self.unannounced = None    # an ending that a row had before its line
        self.successors = {}       # (generation, branch, key) -> hash of the token
        self.issued = {(0, 0)}     # (generation, branch) of the tokens issued
        self.reasons = set()       # the reasons of all ends, also of those that the database has lost
        self.lost_ends = False     # whether durable commits were lost, perhaps with an end before its line
        self.undetermined = []     # changes that may have been committed

    @property
    def row(self):
        return self.versions[-1][0] if self.versions else None

    def commit(self, row, durable, number=0):
        self.versions.append([row, durable, number])
        if row is not None and row['ended_at'] is not None:
            self.reasons.add(row['reason'])

    def durable_index(self):
        return max((i for i, (_, durable, _) in enumerate(self.versions) if durable), default=0)

    def flushed(self):
        """An answer depends on the commits whose flush failed: they are on disk."""
        for version in self.versions:
            version[1] = version[1] is None or version[1]

    def settle(self, before, log=None):
        """Checks the row that a line began with; `log` has the commits that a rollback kept for certain, or may have kept."""
        if not self.versions:
            require(before is None, 'open', 'a session that no line opened')
            return
        last = len(self.versions) - 1
        candidates = range(last, self.durable_index() - 1, -1) if self.lost else [last]
        reachable = [(index, changes) for index in candidates for changes in self.reachable(self.versions[index][0])]
        for differs, index, changes in [(differs, *found) for differs in (False, True) for found in reachable]:
            row = changes[-1].after if changes else self.versions[index][0]
            if differs and self.ended_elsewhere(row, before) or before == row:
                if self.lost and log is not None:
                    log.settle(self.versions, index)
                del self.versions[index + 1:]
                for change in changes:
                    if change.alive is not None:   # it was committed before the end that is the last version
                        self.versions.insert(index, [change.alive, False, change.number])
                        index += 1
                    self.commit(change.after, change.durable, change.number)
                self.undetermined = []
                if before != row:
                    self.unannounced = (before['ended_at'], before['reason'])
                    self.commit(before, True)
                self.lost = False
                return
        if any(before == row for row, _, _ in self.versions[:-1]):
            require(False, 'durable commits', 'the row is older than the last durable commit' if self.lost
                    else 'the row went back without a rollback')
        require(False, 'continuity', 'the row differs from the last one: ' + differences(self.row, before))

    def is_late(self, before, after):
        """Whether a decision without a change was made from an earlier row, and answered after the next commit."""
        if self.lost or before is None or self.row is None or after not in (None, before):
            return False
        return before != self.row and any(before == row for row, _, _ in self.versions)

    def reachable(self, row, start=0):
        """The lists of undetermined changes, each of which may be committed, that lead on from a row; first that of none."""
        yield []
        for index, change in enumerate(self.undetermined[start:], start):
            if change.before == row:
                for rest in self.reachable(change.after, index + 1):
                    yield [change] + rest

    def revoke(self, time, reason):
        """Ends the rows to which the undetermined changes lead, which end with the session, unless a rollback takes the end."""
        def over(row):
            return row if row is None or row['ended_at'] is not None else dict(row, ended_at=time, reason=reason)
        self.undetermined += [Change(over(change.before), over(change.after), True, change.number, change.alive or change.after)
                              for change in self.undetermined]

    @staticmethod
    def ended_elsewhere(row, before):
        """Whether a request without a refresh token ended the session, and its line is still to come."""
        if row is None or before is None or row['ended_at'] is not None or before['ended_at'] is None:
            return False
        # An access token signs out, too.
        return before['reason'] not in BY_TOKEN - {'logout'} and dict(before, ended_at=None, reason=None) == row


class Log:
    """The commits of all sessions in their order, since the rollback before the last one.

    The last rollback left all commits up to a number from `kept` to `most`; what older commits it took is not checked.
    """

    def __init__(self):
        self.number = self.durable = self.base = self.last = self.kept = self.most = 0

    def commit(self, durable):
        self.number += 1
        if durable:
            self.durable = self.number
        return self.number

    def lose(self):
        self.base, self.last = self.last, self.number
        self.kept, self.most = max(self.durable, self.base), self.number

    def settle(self, versions, index):
        number = versions[index][2]
        lost = next((n for _, _, n in versions[index + 1:] if n > self.base), None)
        require(number <= self.most, 'one log', 'an earlier commit of another session was lost')
        require(lost is None or lost > self.kept, 'one log', 'a commit was lost, and a later or durable one was not')
        self.kept = max(self.kept, number)
        if lost is not None:
            self.most = min(self.most, lost - 1)


class Checker:
    def __init__(self):
        self.errors, self.lines, self.rules = [], 0, Counter()
        self.start(None)

    def start(self, history):
        self.history = history
        self.window, self.touch_interval, self.retention = 60_000, 60_000, 0
        self.sessions = {}
        self.clients = Clients(self.sessions)
        self.log = None
        self.unlisted = False      # whether sessions may have been opened or ended without a line

    def check(self, lines):
        number = 0
        for number, text in enumerate(lines, 1):
            if not text.strip():
                continue
            self.lines += 1
            try:
                line = json.loads(text)
                if line.get('history') != self.history:
                    self.finish(number)
                    self.start(line.get('history'))
                self.take(line)
            except Broken as broken:
                self.errors.append(f'line {number}: history {self.history}: {broken}')
                self.resume(line)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self.errors.append(f'line {number}: format: {type(error).__name__}: {error}')
        self.finish(number)
        return self.errors

    def resume(self, line):
        """Goes on with the row that a line claims, so that one fault is reported once."""
        session = self.sessions.get(line.get('session'))
        if session and line['event'] in SERVER_EVENTS:
            number = session.versions[-1][2] if session.versions else 0
            session.commit(normal(line.get('after')) or normal(line.get('before')), False, number)
            if line.get('successor'):
                session.issued.add((line['successor']['generation'], line['successor'].get('branch', 0)))

    def finish(self, number):
        for name, session in self.sessions.items():
            if session.unannounced and not self.unlisted:
                self.errors.append(f'line {number}: history {self.history}: revoke: session {name} ended, and no line says why')

    def take(self, line):
        event = line['event']
        if event in SERVER_EVENTS:
            return self.decided(line)
        take = {'config': self.config, 'open': self.opened, 'revoke': self.revoked, 'expire': self.expired,
                'delete': self.deleted, 'rollback': self.rolled_back, 'unlisted': self.may_be_unlisted,
                'store': self.clients.store, 'send': self.clients.send}.get(event)
        require(take, 'format', f'an unknown event {event!r}')
        take(line)

    def config(self, line):
        self.window = line.get('window', self.window)
        self.touch_interval = line.get('touch_interval', self.touch_interval)
        self.retention = line.get('retention', self.retention)
        if line.get('one_log'):
            self.log = Log()

    # --- server

    def opened(self, line):
        self.clients.opened[line['session']] += 1
        row, session = normal(line['after']), self.sessions.setdefault(line['session'], Session())
        session.issued.update(tuple(pair) for pair in line.get('issued', ()))
        if session.versions:
            require(not session.deleted, 'deleted row', 'a sign-in opened a session that was deleted')
            # The line follows the sign-in's commit, so that a decision on the session may be listed before it.
            if session.lost or not any(row == version for version, _, _ in session.versions):
                session.settle(row)
            require(row['cur'] == 0 and row['intent'] is None and row['ended_at'] is None, 'open',
                    'the response of a sign-in was repeated for a session in use')
            return
        created = row['created_at']
        fresh = row['cur'] == row['branch'] == row['next'] == 0 and row['intent'] is None and row['ended_at'] is None
        require(fresh, 'open', 'a new session is not in the first state')
        require(row['bound_at'] == row['proved_at'] == row['last_used_at'] == created, 'open', 'times of a new session differ')
        require(created < row['idle_end'] <= row['absolute_end'], 'open', 'an end of a new session is not in order')
        session.commit(row, True)

    def decided(self, line):
        session = self.sessions.setdefault(line['session'], Session())
        before, undetermined = normal(line.get('before')), line.get('undetermined', False)
        # Others may have changed the row since it was read.
        if not undetermined and not session.is_late(before, normal(line.get('after'))):
            session.settle(before, self.log)
        decision = Decision(line, self.window, self.touch_interval)
        verdict, answer = decision.verdict(), line['answer']
        if session.deleted:
            require(answer != 'granted', 'deleted row', 'a token was issued for a session that was deleted')
        was_ended = answer[6:] in session.reasons or session.lost_ends and answer[6:] not in BY_TOKEN
        if verdict.answer == 'granted' and line['event'] == 'refresh' and answer.startswith('final:') and was_ended:
            # A server that knows of an end which the database has lost stores it again.
            ending = dict(before, ended_at=line['t'], reason=answer[6:])
            verdict = Verdict('lost end', answer, row=ending)
        if answer in ELSEWHERE and verdict.rule not in ('MAC', 'unknown key', 'unknown mode', 'deleted row'):
            verdict = Verdict('other endpoint', answer)
        require(answer == verdict.answer, verdict.rule, f'the answer is {answer}, and must be {verdict.answer}')
        self.rules[f"{line['event']}: {verdict.rule}"] += 1
        after, expected = normal(line.get('after')) or before, verdict.row or before
        require(after == expected, verdict.rule, 'the row after it has, and must have: ' + differences(after, expected))
        self.check_successor(session, verdict, line.get('successor'), expected, line)
        if not undetermined and (decision.is_repeated(verdict) or answer.startswith('final:')):
            session.flushed()
        if after != before:
            must_be = decision.must_be_durable(verdict)
            durable = line.get('durable', must_be)
            if must_be and not durable:
                require(undetermined, 'durable commits', f'{verdict.rule} was answered before it was durable')
                durable = None
            number = self.log.commit(bool(durable) and not undetermined) if self.log else 0
            if undetermined:
                session.undetermined.append(Change(before, after, durable, number, None))
            else:
                session.commit(after, durable, number)
        if verdict.rule not in ('MAC', 'unknown key', 'deleted row'):
            require((decision.g, decision.b) in session.issued, 'MAC',
                    f'T{decision.g}.{decision.b} was accepted, and never issued')
        if not undetermined:
            self.clients.decided(line, decision.g, answer)

    def check_successor(self, session, verdict, given, row, line):
        found = None if given is None else (given['generation'], given.get('branch', 0))
        require(found == verdict.successor, verdict.rule, f'the successor is {found}, and must be {verdict.successor}')
        if given is None:
            return
        key = given.get('key')
        if key is not None:
            wanted = line['presented'].get('key') if row['mode'] == 'static' else row['successor_kid']
            require(wanted is None or key == wanted, 'successor_kid', f'the successor is made with key {key}, not {wanted}')
        session.issued.add(found)
        if 'hash' in given:
            known = session.successors.setdefault(found + (key,), given['hash'])
            require(known == given['hash'], 'same successor', f'{found} was issued with other bytes before')

    def revoked(self, line):
        session = self.sessions.setdefault(line['session'], Session())
        if self.unlisted and not session.versions:
            return
        require(session.versions, 'revoke', 'a session that no line opened')
        ending, row = (line['t'], line['reason']), session.row
        if session.unannounced:
            # A rollback may have taken an end without a line.
            is_lost = self.unlisted and session.lost_ends and session.unannounced != ending
            require(is_lost or session.unannounced == ending, 'revoke',
                    f'the row says {session.unannounced}, the line {ending}')
            session.unannounced = None
            if not is_lost:
                return
        if row is not None and (row['ended_at'], row['reason']) == ending:
            return     # the token's own request has ended it
        if 'before' in line:
            session.settle(normal(line['before']))
            row = session.row
        session.revoke(*ending)
        if session.lost:   # which of the rows is unknown; each of them that was alive is ended now
            alive = [(old, number) for old, _, number in session.versions[session.durable_index():]
                     if old is not None and old['ended_at'] is None]
            require(alive, 'revoke', 'the session has ended before')
            session.versions = [[old, False, number] for old, number in alive]
            session.versions += [[dict(old, ended_at=ending[0], reason=ending[1]), i == 0, number]
                                 for i, (old, number) in enumerate(alive)]
            return
        require(row is not None and row['ended_at'] is None, 'revoke', 'the session has ended before')
        session.commit(dict(row, ended_at=ending[0], reason=ending[1]), True)

    def expired(self, line):
        row = self.sessions.setdefault(line['session'], Session()).row
        require(row is not None, 'expire', 'no such session')
        require(line['t'] >= min(row['idle_end'], row['absolute_end']), 'expire', 'the session has not expired')

    def deleted(self, line):
        session = self.sessions.setdefault(line['session'], Session())
        if 'before' in line:
            session.settle(normal(line['before']))
        row = session.row
        require(row is not None, 'delete', 'no such session')
        end = min(row['idle_end'], row['absolute_end'], *([] if row['ended_at'] is None else [row['ended_at']]))
        require(line['t'] - self.retention >= end, 'delete', 'the session is alive, or has ended just now')
        session.deleted = True
        session.commit(None, line.get('durable', False), self.log.commit(line.get('durable', False)) if self.log else 0)

    def may_be_unlisted(self, _):
        self.unlisted = True

    def rolled_back(self, line):
        name = line.get('session')
        for session in self.sessions.values() if name is None else [self.sessions.setdefault(name, Session())]:
            session.lost = True
            if line.get('loses_durable'):
                session.lost_ends = True
                session.versions = [[row, False, number] for row, _, number in session.versions]
        if self.log and name is None:
            self.log.lose()


def main(paths):
    checker, counts = Checker(), '--rules' in paths
    for path in [path for path in paths if path != '--rules'] or ['-']:
        with sys.stdin if path == '-' else open(path, encoding='utf-8') as lines:
            found = len(checker.errors)
            checker.check(lines)
            for error in checker.errors[found:][:20]:
                print(error if path == '-' else f'{path}: {error}')
            checker.start(None)
    for rule, count in sorted(checker.rules.items()) if counts else ():
        print(f'{count:8d}  {rule}')
    print(f'{checker.lines} lines, {len(checker.errors)} that break a rule')
    return 1 if checker.errors else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
