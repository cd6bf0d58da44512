#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Tests of trace.py: rollbacks, the order of commits, times, and what belongs to several sessions or histories.

usage: test_trace_commits.py
"""
import json
import unittest

import test_trace
from test_trace import IDLE, ROW, W, Trace, ended
from trace import Checker


class Cases(unittest.TestCase):
    def good(self, trace):
        self.assertEqual(trace.errors(), [])

    def refused(self, trace, rule):
        test_trace.Bad.refused(self, trace, rule)
        self.assertTrue(trace.errors()[0].startswith('line '))

    def swap(self, trace, row):
        """Replaces the row from which the next decision begins; returns the row before."""
        old, trace.row = trace.row, row
        return old

    def one_log(self):
        t = Trace()
        t.lines.insert(0, {'t': 0, 'history': 1, 'event': 'config', 'session': None, 'one_log': True})
        return t.line('open', session='other', after=dict(ROW)).wait(5)


class Undetermined(Cases):
    """The connection was lost while a decision was written: the next line shows whether it was committed."""

    def test_it_was_committed_or_was_not(self):
        for is_committed in (True, False):
            t = Trace().wait(1000)
            start = t.row
            t.bind(0, 'a', undetermined=True)
            self.assertEqual(t.row['intent'], 'a')
            if is_committed:
                self.good(t.wait(5).prove(1, 'b'))
            else:
                t.row = start
                self.good(t.wait(5).bind(0, 'a').wait(5).prove(1, 'b'))

    def test_only_what_was_decided_may_have_been_committed(self):
        t = Trace().wait(1000).bind(0, 'a', undetermined=True)
        self.swap(t, dict(t.row, bound_at=999))
        self.refused(t.wait(5).prove(1, 'b'), 'continuity')
        t = Trace().wait(1000).bind(0, 'a').wait(5).decided('refresh', 0, 'granted', 'x', 1, changes={'intent': 'x'}, undetermined=True)
        self.refused(t, 'case 5')

    def test_several_in_a_row_are_committed_from_the_first_on(self):
        for committed in (0, 1, 2):
            t = Trace().wait(1000)
            rows = [t.row]
            t.bind(0, 'a', undetermined=True).wait(5)
            rows.append(t.row)
            t.prove(1, 'b', undetermined=True).wait(5)
            rows.append(t.row)
            t.row = rows[committed]
            self.good(t.prove(2, 'c') if committed == 2 else t.prove(1, 'b') if committed == 1 else t.bind(0, 'a'))

    def test_the_second_of_two_that_began_from_one_row_was_committed(self):
        t = Trace().wait(1000).bind(0, 'a').wait(5)
        bound = dict(t.row)
        t.decided('confirm', 1, 'none', changes={'cur': 1, 'intent': None, 'proved_at': t.t}, undetermined=True)
        self.swap(t, bound)
        t.wait(5).prove(1, 'b', undetermined=True)
        self.good(t.wait(5).decided('refresh', 1, 'granted', 'b', 2, used=False))

    def test_it_was_committed_once_for_all(self):
        t = Trace().wait(1000)
        start = t.row
        t.bind(0, 'a', undetermined=True)
        bound = self.swap(t, start)
        t.wait(5).bind(0, 'b')
        self.swap(t, bound)
        self.refused(t.wait(5).prove(1, 'c'), 'continuity')

    def test_the_session_may_have_ended_by_it(self):
        t = Trace().wait(9).decided('logout', 0, 'none', changes=ended(9, 'logout'), undetermined=True)
        self.good(t.wait(1).decided('logout', 0, 'none').decided('refresh', 0, 'final:logout', 'a'))

    def test_a_session_ends_from_either_row(self):
        for is_committed in (True, False):
            t = Trace().wait(1000)
            start = t.row
            t.bind(0, 'a', undetermined=True).wait(5)
            if not is_committed:
                t.row = start
            t.row = dict(t.row, **ended(t.t, 'logout_all'))
            self.good(t.line('revoke', reason='logout_all').decided('refresh', 0, 'final:logout_all', 'a'))

    def test_it_is_lost_by_a_later_rollback(self):
        for is_lost in (True, False):
            t = Trace().wait(1000)
            start = t.row
            t.bind(0, 'a', undetermined=True).line('rollback')
            if is_lost:
                t.row = start
            self.good(t.wait(5).prove(1, 'b'))

    def test_a_commit_whose_flush_failed_is_on_disk_once_it_was_repeated(self):
        for repeats in (True, False):
            t = Trace().wait(IDLE // 30 + 1)
            start = t.row
            t.bind(0, 'a', undetermined=True, durable=False)
            if repeats:
                t.decided('refresh', 0, 'granted', 'a', 1, used=False)
            else:
                t.decided('confirm', 0, 'none')
            t.line('rollback')
            t.row = start
            t.bind(0, 'a')
            self.refused(t, 'durable commits') if repeats else self.good(t)

    def test_it_was_read_before_another_server_changed_the_row(self):
        t = Trace().wait(1000)
        start = t.row
        t.bind(0, 'b').wait(5)
        newer = self.swap(t, start)
        t.bind(0, 'b', undetermined=True)
        self.swap(t, newer)
        self.good(t.wait(5).prove(1, 'c'))

    def test_a_sign_in_or_an_end_may_have_no_line(self):
        for is_unlisted in (True, False):
            t = Trace()
            if is_unlisted:
                t.line('unlisted', session=None)
            t.wait(9).line('revoke', session='other', reason='logout_all')
            t.row = dict(t.row, **ended(9, 'logout_all'))
            t.decided('refresh', 0, 'final:logout_all', 'a')
            if is_unlisted:
                self.good(t)
            else:
                self.assertEqual(len(t.errors()), 2)

    def test_the_end_after_it_is_lost(self):
        for reads, is_lost in ((0, True), (2, True), (0, False), (2, False)):
            t = Trace().wait(9).bind(0, 'a', undetermined=True)
            alive = t.row
            t.wait(9).line('revoke', reason='user_disabled')
            t.row = dict(alive, **ended(t.t, 'user_disabled'))
            for _ in range(reads):
                t.decided('refresh', 0, 'final:user_disabled', 'b')
            if is_lost:
                t.line('rollback', session=None, loses_durable=True)
            t.row = alive
            t.wait(5).prove(1, 'b')
            if is_lost:
                self.good(t)
            else:
                self.refused(t, 'durable commits' if reads else 'continuity')

    def test_an_end_without_a_line_is_lost_and_another_one_follows(self):
        for is_lost in (True, False):
            t = Trace().wait(9).line('unlisted', session=None)
            before, t.row = t.row, dict(t.row, **ended(9, 'revoked_by_operator'))
            t.decided('refresh', 0, 'final:revoked_by_operator', 'a')
            if is_lost:
                t.line('rollback', session=None, loses_durable=True)
            t.wait(9).line('revoke', reason='user_disabled')
            t.row = dict(before, **ended(t.t, 'user_disabled'))
            t.decided('refresh', 0, 'final:user_disabled', 'a')
            if is_lost:
                self.good(t)
            else:
                self.refused(t, 'revoke')

    def test_nobody_was_told_of_it(self):
        for undetermined in (True, False):
            t = Trace().line('store', generation=0, intent=None).line('store', session=None, tombstones=['s'])
            t.wait(9).decided('logout', 0, 'none', changes=ended(9, 'logout'), undetermined=undetermined)
            t.line('store', session=None)
            if undetermined:
                self.refused(t, 'rule 6')
            else:
                self.good(t)


class Late(Cases):
    """A decision waits in a batch for others, while another server changes its session."""

    def late(self, answer, **fields):
        t = Trace().wait(1000).bind(0, 'a').wait(5)
        bound = dict(t.row)
        t.decided('confirm', 1, 'none', changes={'cur': 1, 'intent': None, 'proved_at': t.t})
        confirmed = self.swap(t, bound)
        t.decided('refresh', 0, answer, 'a', 1, **fields)
        self.swap(t, confirmed)
        return t.wait(5).bind(1, 'b')

    def test_a_decision_that_changes_nothing_may_be_answered_after_the_next_commit(self):
        self.good(self.late('granted', used=False))

    def test_one_that_changes_the_row_may_not(self):
        t = Trace().wait(1000).bind(0, 'a').wait(5)
        bound = dict(t.row)
        t.decided('confirm', 1, 'none', changes={'cur': 1, 'intent': None, 'proved_at': t.t})
        self.swap(t, bound)
        self.refused(t.wait(W).decided('refresh', 0, 'granted', 'a', 1), 'durable commits')

    def test_its_answer_is_that_of_its_row(self):
        self.refused(self.late('superseded', used=False), 'case 4')


class Commits(Cases):
    def test_a_later_commit_is_kept_although_an_earlier_one_was_lost(self):
        for seen_first in ('s', 'other'):
            t = self.one_log()
            start = t.row
            t.bind(0, 'a')
            bound = self.swap(t, start)
            t.bind(0, 'b', session='other').line('rollback', session=None)
            later = dict(t.row)
            if seen_first == 's':
                t.row = start
                t.bind(0, 'a')
                t.row = later
                self.refused(t.decided('refresh', 0, 'granted', 'b', 1, used=False, session='other'), 'one log')
            else:
                t.row = later
                t.decided('refresh', 0, 'granted', 'b', 1, used=False, session='other')
                t.row = start
                self.refused(t.bind(0, 'a'), 'one log')
            self.assertEqual(bound['intent'], 'a')

    def test_a_durable_commit_keeps_the_earlier_ones_of_other_sessions(self):
        def lost(ending):
            t = self.one_log()
            start = t.row
            t.bind(0, 'a')
            self.swap(t, start)
            if ending:
                t.decided('logout', 0, 'none', session='other', changes=ended(5, 'logout'))
            t.line('rollback', session=None)
            t.row = start
            return t.bind(0, 'a')
        self.good(lost(False))
        self.refused(lost(True), 'one log')

    def test_an_older_rollback_is_no_fault_after_the_next_one(self):
        t = self.one_log()
        start = t.row
        t.bind(0, 'a').line('rollback', session=None)
        self.swap(t, start)
        t.decided('logout', 0, 'none', session='other', changes=ended(5, 'logout')).line('rollback', session=None)
        self.swap(t, start)
        self.good(t.bind(0, 'a'))

    def test_a_rollback_of_one_session_leaves_the_others(self):
        t = Trace().line('open', session='other', after=dict(ROW)).wait(5)
        start = t.row
        t.bind(0, 'a').line('rollback', session='other')
        t.row = start
        self.refused(t.bind(0, 'a'), 'durable commits')

    def test_a_rollback_is_over_once_the_row_was_seen(self):
        t = Trace().wait(5)
        start = t.row
        t.bind(0, 'a').line('rollback').decided('refresh', 0, 'granted', 'a', 1, used=False)
        t.row = start
        self.refused(t.bind(0, 'a'), 'durable commits')

    def test_an_extension_by_a_thirtieth_need_not_be_durable(self):
        for wait, durable in ((IDLE // 30, False), (IDLE // 30 + 1, True)):
            t = Trace().wait(wait)
            start = t.row
            t.bind(0, 'a').line('rollback')
            t.row = start
            t.bind(0, 'a')
            self.refused(t, 'durable commits') if durable else self.good(t)
            self.assertEqual(Trace().wait(wait).bind(0, 'a', durable=False).errors() != [], durable)

    def test_the_step_from_plain_mode_must_be_durable(self):
        t = Trace(mode='plain', contract='app').wait(5)
        step = {'mode': 'intent', 'intent': 'a', 'bound_at': 5}
        self.refused(t.decided('refresh', 0, 'granted', 'a', 1, changes=step, durable=False), 'durable commits')

    def test_a_line_says_which_row_a_rollback_left(self):
        for event, reason in (('revoke', 'logout_all'), ('delete', None)):
            for row_is_kept in (True, False):
                t = Trace(absolute_end=IDLE).wait(5)
                start = t.row
                t.bind(0, 'a').line('rollback', session=None).wait(IDLE)
                row = t.row if row_is_kept else start
                t.line(event, before=row, reason=reason)
                self.good(t)
                t.lines[-1]['before'] = dict(row, intent='x')
                self.refused(t, 'continuity')

    def test_a_row_does_not_disappear(self):
        t = Trace().wait(5).bind(0, 'a')
        t.lines[-1].update(before=None, after=None, answer='missing', successor=None)
        self.refused(t, 'continuity')

    def test_a_session_is_revoked_after_a_rollback(self):
        t = Trace().wait(5)
        start = t.row
        t.bind(0, 'a').line('rollback').line('revoke', reason='logout_all')
        t.row = dict(start, **ended(5, 'logout_all'))
        self.good(t.decided('refresh', 0, 'final:logout_all', 'a'))
        t = Trace().wait(5).line('revoke', reason='logout_all').line('rollback')
        self.refused(t.bind(0, 'a'), 'durable commits')

    def test_a_sign_out_by_an_access_token_may_be_seen_before_its_line(self):
        t = Trace().wait(5)
        t.row = dict(t.row, **ended(5, 'logout'))
        self.good(t.decided('refresh', 0, 'final:logout', 'a').line('revoke', reason='logout'))

    def test_an_end_that_only_a_token_leads_to_has_no_line_of_its_own(self):
        t = Trace().wait(5)
        t.row = dict(t.row, **ended(5, 'fork'))
        self.refused(t.decided('refresh', 0, 'final:fork', 'a'), 'continuity')
        t = Trace().wait(5)
        t.row = dict(t.row, intent='x', **ended(5, 'logout_all'))
        self.refused(t.decided('refresh', 0, 'final:logout_all', 'a'), 'continuity')
        t = Trace().wait(5)
        t.row = dict(t.row, **ended(5, 'logout_all'))
        self.refused(t.decided('refresh', 0, 'final:logout_all', 'a').line('revoke', reason='user_disabled'), 'revoke')


class Times(Cases):
    clock = {'trusted': False, 'latest': 0}

    def test_a_repeat_extends_the_idle_end_after_a_minute(self):
        for wait, used in ((W - 1, False), (W, True)):
            t = Trace().wait(5).bind(0, 'a').wait(wait)
            self.good(t.decided('refresh', 0, 'granted', 'a', 1, used=used))
            t = Trace().wait(5).bind(0, 'a').wait(wait)
            self.refused(t.decided('refresh', 0, 'granted', 'a', 1, used=not used), 'case 4')

    def test_an_untrusted_clock_leads_to_no_sibling(self):
        t = Trace(mode='plain', contract='app').wait(5)
        t.decided('refresh', 0, 'granted', successor=(1, 1), changes={'next': 1, 'bound_at': 5}).wait(W)
        clock = {'trusted': False, 'latest': t.t}
        self.good(t.decided('refresh', 0, 'granted', successor=(1, 1), clock=clock))

    def test_an_untrusted_clock_revokes_nothing(self):
        for answer, rule in (('refused:clock_not_trusted', None), ('final:fork', 'untrusted clock')):
            t = Trace([(0, 1)], mode='plain', contract='app').wait(W)
            t.decided('refresh', (0, 1), answer, clock=dict(self.clock, latest=W), changes=ended(W, 'fork') if rule else None)
            self.refused(t, rule) if rule else self.good(t)

    def test_a_clock_that_has_just_become_trusted_neither_orphans_nor_revokes(self):
        clock = {'trusted': True, 'window_trusted': False}
        t = Trace(mode='plain', contract='app').wait(5)
        t.decided('refresh', 0, 'granted', successor=(1, 1), changes={'next': 1, 'bound_at': 5}).wait(W)
        self.good(t.decided('refresh', 0, 'granted', successor=(1, 1), clock=clock))
        for answer, rule in (('refused:clock_not_trusted', None), ('final:fork', 'untrusted clock')):
            t = Trace([(0, 1)], mode='plain', contract='app').wait(W)
            t.decided('refresh', (0, 1), answer, clock=clock, changes=ended(W, 'fork') if rule else None)
            self.refused(t, rule) if rule else self.good(t)

    def test_an_untrusted_clock_moves_no_time_back(self):
        t = Trace(idle_end=2 * IDLE, last_used_at=0).wait(10)
        changes = {'intent': 'a', 'bound_at': 10, 'last_used_at': 10}
        t.decided('refresh', 0, 'granted', 'a', 1, used=False, changes=changes, clock=dict(self.clock, latest=20))
        self.good(t)
        t = Trace().wait(10).bind(0, 'a').wait(-5)
        t.decided('refresh', 1, 'granted', 'b', 2, used=False, clock=dict(self.clock, latest=20), changes={
            'cur': 1, 'intent': 'b', 'bound_at': 5, 'proved_at': 5, 'last_used_at': 10, 'idle_end': IDLE + 20})
        self.good(t)

    def test_a_mode_that_is_unknown_changes_nothing_but_by_a_logout(self):
        t = Trace(mode='other').wait(2 * IDLE).decided('refresh', 0, 'refused:unsupported_mode', 'a')
        self.good(t.decided('logout', 0, 'none', changes=ended(t.t, 'logout')))

    def test_an_untrusted_clock_does_not_keep_a_logout(self):
        t = Trace().wait(IDLE)
        self.good(t.decided('logout', 0, 'none', changes=ended(IDLE, 'logout'), clock=dict(self.clock, latest=IDLE)))


class Sessions(Cases):
    def test_the_response_of_a_sign_in_is_repeated(self):
        t = Trace()
        self.good(t.line('open', after=dict(t.row)))
        t = Trace().wait(IDLE).line('delete')
        self.refused(t.line('open', after=dict(ROW)), 'deleted row')
        self.refused(Trace(proved_at=5), 'open')
        self.refused(Trace(idle_end=0), 'open')

    def test_a_session_that_no_line_opened(self):
        t = Trace()
        del t.lines[0]
        self.refused(t.wait(5).bind(0, 'a'), 'open')
        for event in ('expire', 'delete', 'revoke'):
            t = Trace()
            t.lines[0] = dict(t.lines[0], event=event)
            self.refused(t, event)

    def test_a_repeated_successor_has_the_same_bytes(self):
        t = Trace().wait(5).bind(0, 'a').decided('refresh', 0, 'granted', 'a', 1, used=False)
        for line in t.lines[1:]:
            line['successor'].update(key=1, hash='h')
        self.good(t)

    def test_histories_are_independent(self):
        first, second = Trace().wait(5).bind(0, 'a'), Trace().wait(5).bind(0, 'b')
        for line in second.lines:
            line['history'] = 2
        first.lines += second.lines
        self.good(first)
        second.lines[-1]['answer'] = 'superseded'
        self.refused(first, 'case 3')
        self.assertIn('line 4: history 2', first.errors()[0])

    def test_a_final_answer_ends_the_session_on_the_client(self):
        t = Trace().line('store', generation=0, intent='a').wait(IDLE).decided('refresh', 0, 'final:idle_timeout', 'a')
        self.good(t.line('store', session=None, client='s'))
        t = Trace().line('store', generation=0, intent='a').wait(5).bind(0, 'a')
        self.refused(t.line('store', session=None, client='s'), 'rule 5')

    def test_a_superseded_token_may_be_reported(self):
        t = Trace().line('store', generation=0, intent='a').wait(5).bind(0, 'x', holder='thief').prove(1, 'y', holder='thief')
        t.decided('refresh', 0, 'superseded', 'a').line('send', kind='report', generation=0)
        self.good(t.decided('report', 0, 'final:stale_holder', changes=ended(5, 'stale_holder')))

    def test_a_token_that_was_granted_is_not_reported(self):
        t = Trace().line('store', generation=0, intent='a').wait(5).bind(0, 'a')
        self.refused(t.line('send', kind='report', generation=0), 'rule 4')

    def test_the_server_sees_a_report_only_after_superseded(self):
        def reported(*answers):
            t = Trace().line('store', generation=0, intent='a').wait(5).bind(0, 'x', holder='thief').prove(1, 'y', holder='thief')
            for answer in answers:
                t.decided('refresh', 0, answer, 'a')
            return t.decided('report', 0, 'final:stale_holder', changes=ended(5, 'stale_holder'))
        self.good(reported('superseded'))
        self.refused(reported(), 'rule 4')

    def test_the_clean_up_keeps_a_row_for_a_while_after_its_end(self):
        for wait in (W - 1, W):
            t = Trace()
            t.line('config', retention=W).wait(IDLE + wait).line('delete')
            self.good(t) if wait == W else self.refused(t, 'delete')
            t = Trace().line('config', retention=W).wait(5).line('revoke', reason='logout_all').wait(wait).line('delete')
            self.good(t) if wait == W else self.refused(t, 'delete')

    def test_a_client_without_a_record_sends_nothing(self):
        self.refused(Trace().line('send', kind='refresh', generation=0, intent='a'), 'rule 2')

    def test_a_tombstone_stays(self):
        t = Trace().line('store', generation=0).line('store', session=None, client='s', tombstones=['s'])
        self.good(t)
        self.refused(t.line('store', generation=1), 'rule 6')

    def test_another_process_may_refresh_for_an_attempt_after_a_sign_out(self):
        for wait in (29_999, 30_000):
            t = Trace().line('store', generation=0, intent='a').line('store', session=None, client='s', tombstones=['s'])
            t.wait(wait).line('send', kind='refresh', generation=0, intent='a')
            self.good(t) if wait < 30_000 else self.refused(t, 'rule 6')

    def test_a_sign_in_brings_a_session_back(self):
        t = Trace().line('store', generation=0).line('store', session=None, client='s', tombstones=['s'])
        self.good(t.line('open', after=dict(ROW)).line('store', generation=0))

    def test_a_process_may_have_a_token_from_before_the_sign_out(self):
        for intent in ('a', 'b'):
            t = Trace().line('store', generation=1, intent='a').line('store', session=None, client='s', tombstones=['s'])
            t.line('open', after=dict(ROW)).line('store', generation=0).line('store', generation=1, intent=intent)
            self.good(t) if intent == 'a' else self.refused(t, 'rule 3')

    def test_the_response_of_a_sign_in_comes_after_the_session_was_signed_out(self):
        for signs_in_twice in (True, False):
            t = Trace().line('store', generation=0)
            if signs_in_twice:
                t.line('open', after=dict(ROW))
            t.line('store', generation=0, intent='a').line('store', session=None, client='s', tombstones=['s'])
            t.line('store', generation=0)
            self.good(t) if signs_in_twice else self.refused(t, 'rule 6')

    def test_a_backup_brings_an_earlier_record_back(self):
        for reverted in (True, False):
            t = Trace().line('store', generation=0, intent='a').line('store', generation=1)
            t.line('store', generation=0, intent='a', reverted=reverted)
            self.good(t) if reverted else self.refused(t, 'store')

    def test_a_thief_and_a_client_without_intents_store_nothing(self):
        for holder in ('thief', 'plain', None):
            t = Trace().line('store', generation=0, intent='a').wait(5)
            t.line('send', kind='refresh', generation=0, intent='x', holder=holder).bind(0, 'x')
            self.good(t) if holder else self.refused(t, 'rule 2')

    def test_only_the_newest_token_is_reported(self):
        # A process may have read a slow store before.
        for time in (9_999, 10_000):
            t = Trace().line('store', generation=0, intent='a').wait(5).bind(0, 'a').prove(1, 'y', holder='thief')
            t.decided('refresh', 0, 'superseded', 'a').line('store', generation=1, intent=None).wait(time)
            t.line('send', kind='report', generation=0)
            self.good(t) if time < 10_000 else self.refused(t, 'rule 4')

    def test_one_fault_is_reported_once(self):
        t = Trace().wait(5).bind(0, 'a').decided('refresh', 0, 'granted', 'b', 1, changes={'intent': 'b'})
        self.assertEqual(len(t.prove(1, 'c').prove(2, 'd').errors()), 1)
        t = Trace().wait(5).bind(0, 'a')
        t.row = dict(t.row, cur=7)
        self.assertEqual(len(t.decided('refresh', 0, 'superseded', 'a').decided('refresh', 0, 'superseded', 'a').errors()), 1)

    def test_lines_that_are_empty_or_unknown(self):
        checker = Checker()
        self.assertEqual(checker.check(['', json.dumps(Trace().lines[0]), '\n']), [])
        self.assertIn("format: an unknown event 'dance'", Trace().line('dance').errors()[0])


if __name__ == '__main__':
    unittest.main()
