# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""The rules of PROTOCOL.md for clients, for trace.py: what their stores hold, and what they send."""
from collections import Counter

from trace_rules import require


# The time in milliseconds in which a process that has not read its store again may send what it read before.
ATTEMPT = 30_000
# The time in milliseconds in which a process sends what it has read from a slow store.
READING = 10_000


class Record:
    """What a client's store holds: one session, and the sessions whose sign-out the server has not heard of."""

    def __init__(self, line):
        self.session, self.generation, self.intent = line['session'], line.get('generation'), line.get('intent')
        self.tombstones = set(line.get('tombstones', ()))


class Store:
    def __init__(self):
        self.record = self.former = Record({'session': None})
        self.changed_at = None     # when the record took the place of the former one
        self.tombstoned = {}       # sessions -> when their tombstones were stored
        self.opened = {}           # sessions that it held -> number of sign-ins that had returned them when it took them


class Clients:
    def __init__(self, sessions):
        self.sessions = sessions   # of the server
        self.stores = {}
        self.generations, self.pairs = {}, set()   # stored: generations by session; (session, generation, intent)
        self.excused = set()       # (kind, session, generation, intent) of holders to whom the rules do not apply
        self.superseded, self.tombstones, self.ended, self.told = set(), set(), set(), set()
        self.opened = Counter()

    # --- what the server decides

    def decided(self, line, generation, answer):
        event, name, intent = line['event'], line['session'], line.get('intent')
        if answer.startswith('final:') or answer == 'missing':
            self.ended.add(name)
        if answer == 'superseded':
            self.superseded.add((name, generation))
        if event == 'logout':
            self.told.add(name)
        if line.get('holder') == 'thief' or (event, name, generation, intent) in self.excused:
            return
        self.check_presented(event, name, generation, intent)
        if event == 'report' and name in self.generations:
            require((name, generation) in self.superseded, 'rule 4', 'a report without `superseded`')

    def check_presented(self, event, name, generation, intent):
        """Only for sessions whose stores are in the trace."""
        if name not in self.generations:
            return
        if event == 'logout':
            require(name in self.tombstones, 'rule 6', 'a logout was sent before the tombstone was stored')
            return
        require(generation in self.generations[name], 'rule 3' if event == 'confirm' else 'rule 2',
                f'T{generation} was sent to {event} before it was stored')
        if event == 'refresh' and intent is not None:
            require((name, generation, intent) in self.pairs, 'rule 2',
                    f'T{generation} was sent with an intent that was not stored')

    # --- what a client stores

    def store(self, line):
        store = self.stores.setdefault(line.get('client', line['session']), Store())
        old, new = store.record, Record(line)
        if not line.get('reverted'):
            self.check_session(store, old, new)
            self.check_removals(old, new, line['t'])
        if new.session not in (None, old.session):
            store.opened[new.session] = self.opened[new.session]
        if (new.session, new.generation) != (old.session, old.generation):
            store.former, store.changed_at = old, line['t']
        store.record = new
        self.tombstones |= new.tombstones
        for name in new.tombstones - old.tombstones:
            store.tombstoned[name] = line['t']
        if new.session is not None:
            self.generations.setdefault(new.session, set()).add(new.generation)
            if new.intent is not None:
                self.pairs.add((new.session, new.generation, new.intent))

    def check_session(self, store, old, new):
        if new.session is None:
            return
        if new.session != old.session:
            require(self.opened[new.session] > store.opened.get(new.session, -1), 'rule 6',
                    'a session that was signed out or replaced was stored again without a sign-in')
            return
        require(new.generation >= old.generation, 'store', f'T{new.generation} replaced T{old.generation}')
        if new.generation == old.generation and old.intent is not None:
            require(new.intent == old.intent, 'rule 1', f'the intent of T{new.generation} was replaced')
        if new.generation > old.generation:
            # Another process may have the pair from before a sign-out and a sign-in that returned the same session.
            is_known = (new.session, new.generation, new.intent) in self.pairs
            require(new.intent is None or is_known, 'rule 3', f'T{new.generation} was stored with an intent at once')

    def check_removals(self, old, new, now):
        gone = old.session
        if gone not in (None, new.session) and gone not in new.tombstones:
            require(self.may_be_over(gone, now), 'rule 5', 'the session was removed without a final answer or a tombstone')
        for name in old.tombstones - new.tombstones - {new.session}:
            require(name in self.told or self.may_be_over(name, now), 'rule 6', 'a tombstone was removed before its logout')

    def may_be_over(self, name, now):
        """Whether the server may have said that a session has ended; served contracts may have no sign-out."""
        if name in self.ended:
            return True
        session = self.sessions.get(name)
        row = session and session.row
        if not row or session.lost or session.lost_ends or session.reasons or row['contract'] is not None:
            return True
        return now >= min(row['idle_end'], row['absolute_end'])

    # --- what a client sends

    def send(self, line):
        name, generation, kind, intent = line['session'], line['generation'], line['kind'], line.get('intent')
        holder = line.get('holder')
        # A sign-out is told although its tombstone cannot be stored.
        if holder in ('thief', 'plain') or holder == 'storeless' and kind == 'logout':
            self.excused.add((kind, name, generation, intent))
            return
        store = self.stores.get(line.get('client', name))
        require(store is not None, 'rule 2', 'a client without a stored record sent a token')
        self.generations.setdefault(name, set())
        self.check_presented(kind, name, generation, intent)
        record = store.record
        if kind == 'refresh':
            require(name not in record.tombstones or line['t'] - store.tombstoned[name] < ATTEMPT, 'rule 6', 'a refresh of a session with a tombstone')
        if kind == 'report':
            require((name, generation) in self.superseded, 'rule 4', f'T{generation} was reported, and was not superseded')
            if store.changed_at is not None and line['t'] - store.changed_at < READING:
                newest = record, store.former
            else:
                newest = record,
            require((name, generation) in [(known.session, known.generation) for known in newest], 'rule 4',
                    f'T{generation} was reported, and is not the newest')
