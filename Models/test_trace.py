#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Tests of trace.py: traces that keep every rule, and at least one that breaks each.

usage: test_trace.py
"""
import json
import unittest

from trace import Checker

W, DAY = 60_000, 86_400_000
IDLE = 30 * DAY
ROW = {'mode': 'intent', 'cur': 0, 'branch': 0, 'intent': None, 'next': 0, 'successor_kid': 1, 'bound_at': 0, 'proved_at': 0,
       'created_at': 0, 'last_used_at': 0, 'idle_end': IDLE, 'absolute_end': 365 * DAY, 'ended_at': None, 'reason': None,
       'contract': None}


class Trace:
    """A trace whose rows are written out by each test, not computed by the rules."""

    def __init__(self, issued=(), **row):
        self.lines, self.row, self.t = [], dict(ROW, **row), 0
        self.line('open', after=dict(self.row), issued=issued)

    def line(self, event, **fields):
        self.lines.append({'t': self.t, 'history': 1, 'event': event, 'session': 's', **fields})
        return self

    def decided(self, event, token, answer, intent=None, successor=None, used=None, changes=None, **fields):
        """A decision that changes `changes`, and extends the idle end unless `used` is false."""
        g, b = token if isinstance(token, tuple) else (token, 0)
        before, after = dict(self.row), dict(self.row, **(changes or {}))
        if used if used is not None else answer == 'granted':
            after.update(last_used_at=self.t, idle_end=min(self.t + IDLE, after['absolute_end']))
        if successor is not None:
            h, c = successor if isinstance(successor, tuple) else (successor, 0)
            successor = {'generation': h, 'branch': c}
        self.row = after
        line = {'presented': {'generation': g, 'branch': b}, 'intent': intent, 'idle_lifetime': IDLE, 'before': before,
                'after': dict(after) if after != before else None, 'answer': answer, 'successor': successor}
        return self.line(event, **dict(line, **fields))

    def wait(self, time):
        self.t += time
        return self

    def bind(self, g, intent, **fields):
        return self.decided('refresh', g, 'granted', intent, g + 1, changes={'intent': intent, 'bound_at': self.t}, **fields)

    def prove(self, g, intent, **fields):
        changes = {'cur': g, 'intent': intent, 'bound_at': self.t, 'proved_at': self.t}
        return self.decided('refresh', g, 'granted', intent, g + 1, changes=changes, **fields)

    def errors(self):
        return Checker().check([json.dumps(line) for line in self.lines])


def ended(t, reason):
    return {'ended_at': t, 'reason': reason}


EVERY_RULE = {'refresh: ' + rule for rule in (
    'case 1', 'case 1, expiry', 'case 2', 'case 3', 'case 4', 'case 5', 'case 6', 'deleted row', 'lost end', 'untrusted clock',
    'static mode', 'MAC', 'unknown key', 'no downgrade', 'no downgrade, within W', 'no downgrade, second holder',
    'plain: bind', 'plain: same successor within W', 'plain: new sibling after W', 'plain: proof of receipt',
    'plain: roll forward', 'plain: proof of receipt, older than next', 'plain: g < cur', 'plain: g < cur, within W',
    'plain: g = cur, other branch', 'plain: g = cur, other branch, within W', 'step from plain mode (case 3)',
    'step from plain mode (case 6)', 'step from plain mode (plain: same successor within W)', 'orphan after the step from plain mode')}
EVERY_RULE |= {'confirm: confirm', 'confirm: confirm without effect', 'confirm: confirm of an orphan', 'report: report',
               'report: report without effect', 'logout: logout', 'logout: logout of an ended session'}


class Good(unittest.TestCase):
    covered = set()

    def good(self, trace):
        checker = Checker()
        self.assertEqual(checker.check([json.dumps(line) for line in trace.lines]), [])
        self.covered.update(checker.rules)

    @classmethod
    def tearDownClass(cls):
        missing = EVERY_RULE - cls.covered
        assert not missing, f'no good trace has {missing}'

    def test_cases_of_intent_mode(self):
        t = Trace().wait(1000).bind(0, 'a')
        t.wait(10).decided('refresh', 0, 'granted', 'a', 1, used=False)                       # case 4, a quick retry
        t.wait(W).decided('refresh', 0, 'granted', 'a', 1)                                    # case 4, extends the idle end
        t.wait(10).decided('confirm', 1, 'none', changes={'cur': 1, 'intent': None, 'proved_at': t.t})
        t.wait(10).decided('refresh', 0, 'superseded', 'a')                                   # case 2
        t.wait(10).bind(1, 'b').wait(10).prove(2, 'c')                                        # cases 3, 6
        t.wait(10).decided('refresh', 2, 'final:fork', 'x', changes=ended(t.t, 'fork'))       # case 5
        t.wait(10).decided('refresh', 2, 'final:fork', 'c')                                   # case 1
        self.good(t)

    def test_report_and_logout(self):
        t = Trace().wait(1000).bind(0, 'a').wait(5).prove(1, 'b')
        self.good(t)
        self.good(t.decided('report', 1, 'none').decided('report', 0, 'final:stale_holder', changes=ended(t.t, 'stale_holder')))
        t = Trace().wait(9).decided('logout', 0, 'none', changes=ended(9, 'logout')).decided('logout', 0, 'none')
        self.good(t.line('revoke', reason='logout'))

    def test_revoke_may_be_seen_before_its_line(self):
        t = Trace().wait(9)
        t.row.update(ended(9, 'logout_all'))
        t.decided('refresh', 0, 'final:logout_all', 'a').line('revoke', reason='logout_all')
        self.good(t)

    def test_lost_commits_roll_forward(self):
        t = Trace().wait(1000)
        old = dict(t.row)
        t.bind(0, 'a').wait(5).prove(1, 'b').line('rollback')
        t.row = old
        self.good(t.wait(5).prove(2, 'c'))

    def test_plain_mode(self):
        t = Trace([(5, 3), (4, 1)], mode='plain', contract='app').wait(1000)
        t.decided('refresh', 0, 'granted', successor=(1, 1), changes={'next': 1, 'bound_at': t.t})
        t.wait(W - 1).decided('refresh', 0, 'granted', successor=(1, 1), used=False)
        t.wait(1).decided('refresh', 0, 'granted', successor=(1, 2), changes={'next': 2, 'bound_at': t.t})
        proved = {'cur': 1, 'branch': 2, 'next': 1, 'bound_at': t.t, 'proved_at': t.t}
        t.decided('refresh', (1, 2), 'granted', successor=(2, 1), changes=proved)
        t.wait(W - 1).decided('refresh', (1, 1), 'superseded').decided('refresh', 0, 'superseded')
        ahead = {'cur': 5, 'branch': 3, 'next': 1, 'bound_at': t.t, 'proved_at': t.t}
        t.decided('refresh', (5, 3), 'granted', successor=(6, 1), changes=ahead)
        self.good(t.wait(W).decided('refresh', (4, 1), 'final:reuse', changes=ended(t.t, 'reuse')))

    def test_step_from_plain_mode(self):
        t = Trace(mode='plain', contract='app').wait(1000)
        step = {'mode': 'intent', 'intent': 'a', 'bound_at': t.t}
        t.decided('refresh', 0, 'granted', 'a', 1, changes=step, durable=True)
        t.wait(W - 1).decided('refresh', 0, 'superseded')
        self.good(t.wait(1).decided('refresh', 0, 'final:fork', changes=ended(t.t, 'fork')))

    def test_step_from_plain_mode_with_a_successor(self):
        t = Trace(mode='plain', contract='app').wait(1000)
        t.decided('refresh', 0, 'granted', successor=(1, 1), changes={'next': 1, 'bound_at': t.t}).wait(1)
        step = {'mode': 'intent', 'intent': 'a', 'bound_at': t.t}
        self.good(t.decided('refresh', 0, 'granted', 'a', (1, 1), changes=step, durable=True, used=False))

    def test_step_from_plain_mode_with_proof(self):
        t = Trace([(1, 1)], mode='plain', contract='app').wait(1000)
        step = {'cur': 1, 'branch': 1, 'next': 0, 'mode': 'intent', 'intent': 'a', 'bound_at': t.t, 'proved_at': t.t}
        self.good(t.decided('refresh', (1, 1), 'granted', 'a', 2, changes=step, durable=True))

    def test_plain_mode_with_two_holders(self):
        def siblings():
            t = Trace(mode='plain', contract='app').wait(1000)
            t.decided('refresh', 0, 'granted', successor=(1, 1), changes={'next': 1, 'bound_at': t.t}).wait(W)
            return t.decided('refresh', 0, 'granted', successor=(1, 2), changes={'next': 2, 'bound_at': t.t})
        for event in ('refresh', 'confirm'):
            t = siblings()
            self.good(t.decided(event, (1, 1), 'final:fork', changes=ended(t.t, 'fork')))
        t = siblings()
        t.decided('confirm', (1, 2), 'none', changes={'cur': 1, 'branch': 2, 'next': 0, 'proved_at': t.t}).wait(W)
        self.good(t.decided('refresh', (1, 1), 'final:fork', changes=ended(t.t, 'fork')))

    def test_orphan_after_the_step(self):
        t = Trace([(1, 1), (1, 2)], contract='app').wait(5)
        changes = {'cur': 1, 'branch': 2, 'intent': 'a', 'bound_at': 5, 'proved_at': 5}
        t.decided('refresh', (1, 2), 'granted', 'a', 2, changes=changes)
        t.wait(W).decided('refresh', (1, 1), 'final:fork', 'a', changes=ended(t.t, 'fork'))
        self.good(t)

    def test_keys(self):
        t = Trace().wait(5).decided('refresh', 0, 'refused:key_unavailable', 'a', mac='unknown_key')
        t.decided('refresh', 0, 'refused:forged', 'a', mac='wrong').decided('refresh', 0, 'refused:elsewhere', 'a')
        self.good(t.decided('refresh', 0, 'refused:intent_required').bind(0, 'a'))

    def test_promoted_standby_loses_durable_commits(self):
        t = Trace()
        first = dict(t.row)
        t.wait(5).decided('logout', 0, 'none', changes=ended(5, 'logout'), durable=True)
        t.line('rollback', session=None, loses_durable=True)
        t.row = first
        self.good(t.bind(0, 'a'))

    def test_session_ends_again_after_its_end_was_lost(self):
        t = Trace().wait(5).line('revoke', reason='logout_all')
        first = dict(t.row)
        t.line('rollback', session=None, loses_durable=True).wait(1).line('revoke', reason='revoked_by_user')
        t.row.update(ended(6, 'revoked_by_user'))
        self.good(t.decided('refresh', 0, 'final:revoked_by_user', 'a'))
        # The second end is lost, too.
        t.line('rollback', session=None, loses_durable=True)
        t.row = first
        self.good(t.bind(0, 'a'))

    def test_known_end_that_was_lost_is_stored_again(self):
        t = Trace().wait(5).line('revoke', reason='logout_all')
        t.line('rollback', session=None, loses_durable=True).wait(1)
        self.good(t.decided('refresh', 0, 'final:logout_all', 'a', changes=ended(6, 'logout_all')))

    def test_repeated_sign_in_is_listed_after_a_refresh(self):
        t = Trace()
        first = dict(t.row)
        self.good(t.wait(5).bind(0, 'a').line('open', after=first).decided('refresh', 0, 'granted', 'a', 1, used=False))

    def test_one_log(self):
        self.good(self.two_sessions(True))

    @staticmethod
    def two_sessions(keeps_first):
        """Two sessions are bound, in this order; the database loses its last commits, but not that of the second one."""
        t = Trace()
        t.lines.insert(0, {'t': 0, 'history': 1, 'event': 'config', 'session': None, 'one_log': True})
        t.line('open', session='other', after=dict(ROW)).wait(5)
        first = dict(t.row)
        t.bind(0, 'a')
        bound, t.row = t.row, first
        t.bind(0, 'b', session='other').line('rollback', session=None)
        t.decided('refresh', 0, 'granted', 'b', 1, used=False, session='other')
        t.row = bound if keeps_first else first
        return t.decided('refresh', 0, 'granted', 'a', 1, used=False) if keeps_first else t.bind(0, 'a')

    def test_static_mode(self):
        t = Trace(mode='static', contract='app').wait(DAY)
        self.good(t.decided('refresh', 0, 'granted', successor=0).decided('confirm', 0, 'none'))

    def test_expiry_and_clean_up(self):
        t = Trace().wait(IDLE - 1).bind(0, 'a', durable=True).wait(IDLE)
        t.line('expire').decided('refresh', 0, 'final:idle_timeout', 'a').line('delete').line('rollback')
        t.decided('refresh', 0, 'final:idle_timeout', 'a').line('delete')
        t.row = None
        t.lines.append(dict(t.lines[1], before=None, after=None, successor=None, answer='missing', t=t.t))
        self.good(t)
        t = Trace(absolute_end=IDLE).wait(IDLE)
        self.good(t.decided('refresh', 0, 'final:absolute_timeout', 'a'))

    def test_untrusted_clock(self):
        clock = {'trusted': False, 'latest': IDLE + 100}
        self.good(Trace().wait(IDLE).decided('refresh', 0, 'refused:clock_not_trusted', 'a', clock=clock))
        t = Trace().wait(10)
        self.good(t.decided('refresh', 0, 'granted', 'a', 1, used=False, clock=clock, changes={
            'intent': 'a', 'bound_at': 10, 'last_used_at': 10, 'idle_end': 2 * IDLE + 100}))

    def test_clients(self):
        t = Trace().line('store', generation=0, intent=None).line('store', generation=0, intent='a').wait(1000)
        t.line('send', kind='refresh', generation=0, intent='a').bind(0, 'a').line('store', generation=1, intent=None)
        t.line('send', kind='confirm', generation=1)
        t.decided('confirm', 1, 'none', changes={'cur': 1, 'intent': None, 'proved_at': t.t})
        t.line('store', session=None, client='s', tombstones=['s']).line('send', kind='logout', generation=1)
        t.decided('logout', 1, 'none', changes=ended(t.t, 'logout'))
        self.good(t.line('store', session=None, client='s'))


class Bad(unittest.TestCase):
    def refused(self, trace, rule):
        errors = trace.errors()
        self.assertTrue(any(rule + ':' in error or rule + ',' in error for error in errors), f'{rule!r} not in {errors}')

    def test_case_1(self):
        t = Trace().wait(5).decided('logout', 0, 'none', changes=ended(5, 'logout'))
        self.refused(t.bind(0, 'a'), 'case 1')

    def test_case_1_expiry(self):
        self.refused(Trace().wait(IDLE).bind(0, 'a'), 'case 1, expiry')
        self.refused(Trace(absolute_end=IDLE).wait(IDLE).decided('refresh', 0, 'final:idle_timeout', 'a'), 'case 1, expiry')
        self.refused(Trace().wait(IDLE - 1).decided('refresh', 0, 'final:idle_timeout', 'a'), 'case 3')

    def test_cases_2_to_6(self):
        t = Trace().wait(5).prove(1, 'a')
        self.refused(t.decided('refresh', 0, 'final:reuse', 'x', changes=ended(5, 'reuse')), 'case 2')
        self.refused(Trace().wait(5).decided('refresh', 0, 'superseded', 'a'), 'case 3')
        never = Trace().wait(5).decided('refresh', 0, 'final:logout_all', 'a', changes=ended(5, 'logout_all'))
        self.refused(never, 'case 3')
        self.refused(Trace().wait(5).decided('refresh', 0, 'granted', 'a', 1), 'case 3')       # the intent is not bound
        self.refused(Trace().wait(5).bind(0, 'a').decided('refresh', 0, 'granted', 'a', 2), 'case 4')
        self.refused(Trace().wait(5).bind(0, 'a').decided('refresh', 0, 'granted', 'b', 1), 'case 5')
        self.refused(Trace().wait(5).decided('refresh', 1, 'final:reuse', 'a', changes=ended(5, 'reuse')), 'case 6')
        t = Trace().wait(5).prove(3, 'a')
        t.lines[-1]['successor']['generation'] = 5
        self.refused(t, 'case 6')

    def test_other_requests(self):
        self.refused(Trace().wait(5).decided('confirm', 1, 'none'), 'confirm')
        self.refused(Trace().decided('confirm', 0, 'none', changes={'intent': 'x'}), 'confirm without effect')
        self.refused(Trace().wait(5).prove(1, 'a').decided('report', 0, 'none'), 'report')
        self.refused(Trace().wait(5).decided('report', 0, 'final:stale_holder', changes=ended(5, 'stale_holder')),
                     'report without effect')
        self.refused(Trace().decided('logout', 0, 'none'), 'logout')

    def test_no_downgrade(self):
        t = Trace().wait(5).bind(0, 'a')
        self.refused(t.decided('refresh', 0, 'granted', None, 1), 'no downgrade')
        t = Trace(contract='app').wait(W).bind(0, 'a').wait(W)
        self.refused(t.decided('refresh', 0, 'superseded'), 'no downgrade, second holder')

    def test_plain_mode(self):
        def t(**row):
            return Trace([(0, 1), (1, 1), (4, 1)], mode='plain', contract='app', **row)

        def served(g, b, token, wait=1000, **changes):
            trace = t().wait(wait)
            return trace.decided('refresh', token, 'granted', successor=(g, b), changes=dict({'bound_at': trace.t}, **changes))
        self.refused(served(1, 2, 0, next=2), 'plain: bind')
        twice = served(1, 1, 0, next=1)
        self.refused(twice.wait(1).decided('refresh', 0, 'granted', successor=(1, 2), changes={'next': 2, 'bound_at': twice.t}),
                     'plain: same successor within W')
        late = served(1, 1, 0, next=1).wait(W)
        self.refused(late.decided('refresh', 0, 'granted', successor=(1, 1)), 'plain: new sibling after W')
        self.refused(t().wait(W).decided('refresh', (0, 1), 'superseded'), 'plain: g = cur, other branch')
        young = t().wait(W - 1)
        self.refused(young.decided('refresh', (0, 1), 'final:fork', changes=ended(young.t, 'fork')),
                     'plain: g = cur, other branch, within W')
        self.refused(t().wait(5).decided('refresh', (1, 1), 'superseded'), 'plain: proof of receipt')
        orphan = served(1, 1, 0, next=1).wait(W)
        orphan.decided('refresh', 0, 'granted', successor=(1, 2), changes={'next': 2, 'bound_at': orphan.t})
        self.refused(orphan.decided('refresh', (1, 1), 'superseded'), 'plain: proof of receipt, older than next')
        self.refused(t().wait(5).decided('refresh', (4, 1), 'superseded'), 'plain: roll forward')
        proved = served(2, 1, (1, 1), cur=1, branch=1, next=1, proved_at=1000)
        self.refused(proved.wait(W).decided('refresh', 0, 'superseded'), 'plain: g < cur')

    def test_step_and_static_mode(self):
        t = Trace(mode='plain', contract='app').wait(5)
        self.refused(t.decided('refresh', 0, 'granted', 'a', (1, 1), changes={'next': 1, 'bound_at': 5}),
                     'step from plain mode (case 3)')
        t = Trace([(1, 1)], mode='plain', contract='app').wait(5)
        step = {'cur': 1, 'branch': 1, 'next': 1, 'mode': 'intent', 'intent': 'a', 'bound_at': 5, 'proved_at': 5}
        self.refused(t.decided('refresh', (1, 1), 'granted', 'a', (2, 1), changes=step, durable=True),
                     'step from plain mode (case 6)')
        t = Trace(mode='static', contract='app').wait(5)
        self.refused(t.decided('refresh', 0, 'granted', successor=1), 'static mode')

    def test_orphan_after_the_step(self):
        t = Trace([(1, 2), (1, 1)], contract='app').wait(5)
        changes = {'cur': 1, 'branch': 2, 'intent': 'a', 'bound_at': 5, 'proved_at': 5}
        t.decided('refresh', (1, 2), 'granted', 'a', 2, changes=changes)
        self.refused(t.wait(W).decided('refresh', (1, 1), 'superseded', 'a'), 'orphan after the step from plain mode')

    def test_expiry_is_extended(self):
        self.refused(Trace().wait(5).bind(0, 'a', used=False), 'case 3')
        t = Trace(absolute_end=IDLE).wait(5).bind(0, 'a')
        t.lines[-1]['after']['idle_end'] = IDLE + 5
        self.refused(t, 'case 3')
        self.refused(Trace().wait(5).line('expire'), 'expire')

    def test_untrusted_clock(self):
        t = Trace().wait(IDLE)
        clock = {'trusted': False, 'latest': t.t}
        self.refused(t.decided('refresh', 0, 'final:idle_timeout', 'a', clock=clock), 'untrusted clock')

    def test_deleted_rows(self):
        self.refused(Trace().wait(5).line('delete'), 'delete')
        t = Trace().wait(IDLE).line('delete').line('rollback')
        t.row.update(idle_end=2 * IDLE)
        self.refused(t.bind(0, 'a'), 'continuity')
        t = Trace().wait(IDLE).line('delete')
        self.refused(t.decided('refresh', 0, 'final:idle_timeout', 'a'), 'durable commits')
        t = Trace().wait(IDLE).line('delete').line('rollback').wait(-IDLE)
        self.refused(t.bind(0, 'a'), 'deleted row')

    def test_commits(self):
        t = Trace().wait(5).bind(0, 'a')
        t.row['intent'] = 'b'
        self.refused(t.decided('refresh', 0, 'granted', 'b', 1, used=False), 'continuity')
        first = dict(Trace().row)
        t = Trace().wait(5).bind(0, 'a')
        t.row = dict(first)
        self.refused(t.bind(0, 'b'), 'durable commits')                                        # no rollback line
        t = Trace().wait(5).decided('logout', 0, 'none', changes=ended(5, 'logout')).line('rollback')
        t.row = dict(first)
        self.refused(t.bind(0, 'a'), 'durable commits')                                        # a logout was lost
        t = Trace().wait(IDLE // 2).bind(0, 'a').line('rollback')
        t.row = dict(first)
        self.refused(t.bind(0, 'a'), 'durable commits')                                        # a long extension was lost
        self.refused(Trace().wait(5).decided('logout', 0, 'none', changes=ended(5, 'logout'), durable=False), 'durable commits')

    def test_openings_and_ends(self):
        self.refused(Trace(cur=3), 'open')
        self.refused(Trace(idle_end=IDLE, absolute_end=5), 'open')
        t = Trace().wait(5).bind(0, 'a')
        self.refused(t.line('open', after=dict(t.row)), 'open')
        t = Trace().wait(9)
        t.row.update(ended(9, 'logout_all'))
        self.refused(t.decided('refresh', 0, 'final:logout_all', 'a'), 'revoke')
        self.refused(Trace().line('revoke', reason='logout_all').wait(5).line('revoke', reason='logout_all'), 'revoke')

    def test_keys(self):
        t = Trace().wait(5).bind(0, 'a')
        t.lines[-1]['successor']['key'] = 2
        self.refused(t, 'successor_kid')
        t = Trace().wait(5).bind(0, 'a', current_key=2)
        self.refused(t, 'case 3')                                                              # successor_kid must be 2
        t = Trace().wait(5).bind(0, 'a')
        t.lines[-1]['successor']['hash'] = 'h'
        t.decided('refresh', 0, 'granted', 'a', 1, used=False)
        t.lines[-1]['successor']['hash'] = 'i'
        self.refused(t, 'same successor')
        self.refused(Trace().decided('refresh', 0, 'refused:forged', 'a', mac='unknown_key'), 'unknown key')
        self.refused(Trace().wait(5).bind(0, 'a', mac='wrong'), 'MAC')
        self.refused(Trace().wait(5).bind(0, 'a', mac='retired_key'), 'MAC')

    def test_clients(self):
        def stored(*records):
            t = Trace()
            for generation, intent in records:
                t.line('store', generation=generation, intent=intent)
            return t.wait(1000)
        self.refused(stored((1, None), (0, None)), 'store')
        self.refused(stored((0, 'a'), (0, 'b')), 'rule 1')
        self.refused(stored((0, None)).bind(0, 'a'), 'rule 2')
        self.refused(stored((0, None)).line('send', kind='refresh', generation=0, intent='a'), 'rule 2')
        t = stored((0, 'a')).bind(0, 'a')
        self.refused(t.decided('confirm', 1, 'none', changes={'cur': 1, 'intent': None, 'proved_at': t.t}), 'rule 3')
        self.refused(stored((0, None)).line('send', kind='report', generation=0), 'rule 4')
        t = stored((0, None)).line('store', session=None, client='s', tombstones=['s'])
        self.refused(t.wait(30_000).line('send', kind='refresh', generation=0, intent=None), 'rule 6')
        self.refused(t.line('store', session=None, client='s'), 'rule 6')
        t = stored((0, None)).line('store', client='s', session='other', generation=0, tombstones=['s'])
        self.refused(t.line('store', generation=0), 'rule 6')
        self.refused(stored((0, None)).line('store', session=None, client='s'), 'rule 5')
        t = Trace().line('store', generation=0, intent='a').wait(5)
        self.refused(t.decided('logout', 0, 'none', changes=ended(5, 'logout')), 'rule 6')

    def test_tokens_that_were_never_issued(self):
        self.refused(Trace().wait(5).prove(1, 'a'), 'MAC')

    def test_one_log(self):
        self.refused(Good.two_sessions(False), 'one log')

    def test_format(self):
        self.assertIn('format', Checker().check(['{'])[0])
        self.refused(Trace().line('nonsense'), 'format')


if __name__ == '__main__':
    unittest.main()
