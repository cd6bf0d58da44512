# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""The rules of PROTOCOL.md as a function of a session's row and a request, for trace.py: a second implementation."""

ROW = ('mode', 'cur', 'branch', 'intent', 'next', 'successor_kid', 'bound_at', 'proved_at', 'created_at', 'last_used_at',
       'idle_end', 'absolute_end', 'ended_at', 'reason', 'contract')
# Extending idle_end by more than this part of the idle lifetime is durable before it is answered.
DURABLE_EXTENSION = 30


class Broken(Exception):
    """A line that breaks a rule."""


def require(condition, rule, text):
    if not condition:
        raise Broken(f'{rule}: {text}')


def normal(row):
    return None if row is None else {name: row.get(name) for name in ROW}


def differences(a, b):
    if a is None or b is None:
        return f'{"no row" if a is None else "a row"} and {"no row" if b is None else "a row"}'
    return ', '.join(f'{name} {a[name]!r} and {b[name]!r}' for name in ROW if a[name] != b[name])


# --- the rules of a decision

class Verdict:
    def __init__(self, rule, answer, row=None, successor=None, step=False):
        self.rule, self.answer, self.row, self.successor, self.step = rule, answer, row, successor, step


class Decision:
    """What PROTOCOL.md says about one request."""

    def __init__(self, line, window, touch_interval):
        self.now = line['t']
        self.event = line['event']
        self.row = normal(line.get('before'))
        token = line.get('presented') or {}
        self.g, self.b = token.get('generation'), token.get('branch', 0)
        self.intent = line.get('intent')
        self.window, self.touch_interval = window, touch_interval
        self.idle = line.get('idle_lifetime')
        clock = line.get('clock') or {}
        self.trusted = clock.get('trusted', True)
        self.window_trusted = clock.get('window_trusted', self.trusted)
        self.latest = self.now if self.trusted else clock.get('latest', self.now)
        self.mac = line.get('mac', 'valid')
        self.key = line.get('current_key')

    def verdict(self):
        if self.row is None:
            return Verdict('deleted row', 'missing')
        if self.mac in ('wrong', 'retired_key'):
            return Verdict('MAC', 'refused:forged')
        if self.mac == 'unknown_key':
            return Verdict('unknown key', 'refused:key_unavailable')
        if self.event == 'logout':
            return self.logout()
        over = self.over()
        if over:
            return over
        return {'refresh': self.refresh, 'confirm': self.confirm, 'report': self.report}[self.event]()

    def over(self):
        """Case 1."""
        row = self.row
        if row['ended_at'] is not None:
            return Verdict('case 1', 'final:' + row['reason'])
        if row['mode'] not in ('intent', 'plain', 'static'):
            return Verdict('unknown mode', 'refused:unsupported_mode')
        for name, reason in (('absolute_end', 'absolute_timeout'), ('idle_end', 'idle_timeout')):
            if self.now >= row[name]:
                if self.trusted:
                    return Verdict('case 1, expiry', 'final:' + reason)
                return Verdict('untrusted clock', 'refused:clock_not_trusted')
        return None

    def refresh(self):
        mode = self.row['mode']
        if mode == 'static':
            return Verdict('static mode', 'granted', self.used(self.row), (self.g, self.b))
        if mode == 'plain':
            verdict = self.plain()
            return self.step(verdict) if self.intent is not None and verdict.answer == 'granted' else verdict
        return self.no_downgrade() if self.intent is None else self.with_intent()

    # intents

    def with_intent(self):
        row = self.row
        if self.g < row['cur']:
            return Verdict('case 2', 'superseded')
        if self.g > row['cur']:
            return self.ahead('case 6', 0, self.intent)
        if self.b != row['branch']:
            return self.stray('orphan after the step from plain mode', 'fork')
        if row['intent'] is None:
            return self.grant('case 3', dict(row, intent=self.intent, **self.bound()))
        if row['intent'] == self.intent:
            return self.again('case 4')
        return self.end('case 5', 'fork')

    def no_downgrade(self):
        if self.row['contract'] is None:
            return Verdict('no downgrade', 'refused:intent_required')
        if self.is_recent('bound_at'):
            return Verdict('no downgrade, within W', 'superseded')
        return self.stray('no downgrade, second holder', 'fork')

    def step(self, plain):
        """Only a successor that plain mode has issued stays."""
        is_bound = self.g == self.row['cur'] and self.row['next'] > 0
        verdict = plain if is_bound else self.with_intent()
        row = dict(verdict.row or self.row, mode='intent', intent=self.intent, bound_at=self.now)
        return Verdict('step from plain mode (' + verdict.rule + ')', 'granted', row, verdict.successor, step=True)

    # plain mode

    def plain(self):
        row = self.row
        if self.g < row['cur']:
            return self.stray('plain: g < cur', 'reuse')
        if self.g > row['cur']:
            return self.ahead('plain: roll forward' if self.g > row['cur'] + 1 else 'plain: proof of receipt', 1, None)
        if self.b != row['branch']:
            return self.stray('plain: g = cur, other branch', 'fork')
        recent = self.is_recent('bound_at') or not self.window_trusted
        if row['next'] == 0:
            return self.grant('plain: bind', dict(row, next=1, **self.bound()))
        if recent:
            return self.again('plain: same successor within W')
        return self.grant('plain: new sibling after W', dict(row, next=row['next'] + 1, **self.bound()))

    def stray(self, rule, reason):
        if self.is_recent('proved_at'):
            return Verdict(rule + ', within W', 'superseded')
        if not self.window_trusted:
            return Verdict('untrusted clock', 'refused:clock_not_trusted')
        return self.end(rule, reason)

    def is_recent(self, change):
        # A change further in the future was made by another clock.
        return abs(self.now - self.row[change]) < self.window

    # confirm, report, logout

    def confirm(self):
        if self.row['mode'] == 'static' or self.g <= self.row['cur']:
            return Verdict('confirm without effect', 'none')
        if self.is_orphan():
            return self.end('confirm of an orphan', 'fork')
        return Verdict('confirm', 'none', self.proved())

    def report(self):
        if self.g < self.row['cur']:
            return self.end('report', 'stale_holder')
        return Verdict('report without effect', 'none')

    def logout(self):
        over = self.over()
        if over and over.answer.startswith('final:'):
            return Verdict('logout of an ended session', 'none')
        return Verdict('logout', 'none', dict(self.row, ended_at=self.now, reason='logout'))

    # parts

    def is_orphan(self):
        return self.g == self.row['cur'] + 1 and self.b < self.row['next']

    def proved(self):
        return dict(self.row, cur=self.g, branch=self.b, proved_at=self.now, intent=None, next=0)

    def ahead(self, rule, next_branch, intent):
        if self.is_orphan():
            return self.end(rule + ', older than next', 'fork')
        return self.grant(rule, dict(self.proved(), next=next_branch, intent=intent, **self.bound()))

    def bound(self):
        return {'bound_at': self.now, 'successor_kid': self.row['successor_kid'] if self.key is None else self.key}

    def grant(self, rule, row):
        return Verdict(rule, 'granted', self.used(row), (row['cur'] + 1, row['next']))

    def again(self, rule):
        row = self.row
        late = self.now - row['last_used_at'] >= self.touch_interval
        return Verdict(rule, 'granted', self.used(row) if late else None, (row['cur'] + 1, row['next']))

    def used(self, row):
        idle_end = self.latest + self.idle
        if not self.trusted:
            idle_end = max(idle_end, row['idle_end'])
        used_at = self.now if self.trusted else max(self.now, row['last_used_at'])
        return dict(row, last_used_at=used_at, idle_end=min(idle_end, row['absolute_end']))

    def end(self, rule, reason):
        return Verdict(rule, 'final:' + reason, dict(self.row, ended_at=self.now, reason=reason))

    def is_repeated(self, verdict):
        """Whether a granted token was presented before, by a request that may have been given no answer."""
        is_bound = self.row is not None and (self.row['intent'] is not None or self.row['next'] > 0)
        return verdict.answer == 'granted' and (self.row['mode'] == 'static' or is_bound and self.g == self.row['cur'])

    def must_be_durable(self, verdict):
        after = verdict.row
        if after is None:
            return False
        if verdict.step or after['ended_at'] is not None:
            return True
        extension = after['idle_end'] - self.row['idle_end']
        return self.idle is not None and extension * DURABLE_EXTENSION > self.idle
