#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Freshet project authors
"""Compares trace_rules.py with the functions of the model plain.py.

usage: test_trace_rules.py
"""
import itertools
import pathlib
import unittest

import trace_rules
from test_trace import IDLE, ROW, W


class Model(unittest.TestCase):
    """The rules give what the model plain.py gives, for every row and request of a small range."""

    def test_plain_mode_and_the_step_to_intents(self):
        source = (pathlib.Path(__file__).parent / 'plain.py').read_text(encoding='utf-8').split('\nbad = 0\n')[0]
        model = {}
        exec(compile(source, 'plain.py', 'exec'), model)
        now, compared = 10 * W, 0
        times = {'fresh': now - 1, 'old': now - W, '-': now - W}
        ages = [(n, bound) for n in (0, 1, 2) for bound in ('fresh', 'old')]
        space = itertools.product((0, 1, 2), (0, 1, 2), ages, ('fresh', 'old'), ('plain', 'intent'), (None, 'c', 't'),
                                  range(5), range(4), (None, 'c', 't'), ('refresh', 'confirm'))
        for cur, branch, (following, bound), proof, mode, bound_to, g, b, intent, event in space:
            if mode == 'plain':
                if bound_to or (following == 0 and bound == 'fresh'):
                    continue
                bound = bound if following else '-'
            row = dict(ROW, mode=mode, contract='app', cur=cur, branch=branch, next=following, intent=bound_to,
                       bound_at=times[bound], proved_at=times[proof], last_used_at=now)
            state = (cur, branch, following, bound, proof, False, mode, bound_to)
            decision = trace_rules.Decision({'t': now, 'event': event, 'before': row, 'intent': intent, 'idle_lifetime': IDLE,
                                             'presented': {'generation': g, 'branch': b}}, W, W)
            verdict = decision.verdict()
            if event == 'confirm':
                if intent:
                    continue
                after, answer = model['confirm'](state, g, b)
            else:
                after, answer = model['present_i'](state, g, b, intent, ())
            if answer is None:     # the model's largest branch
                continue
            ours = verdict.row or row
            kind = {'revoked': 'final', 'noted': 'none'}.get(answer, answer) if isinstance(answer, str) else 'granted'
            text = f'{event} T{g}.{b} {intent} on {state}: {verdict.rule} {verdict.answer}, model {answer}'
            self.assertEqual(verdict.answer.split(':')[0], kind, text)
            if kind == 'granted':
                self.assertEqual(verdict.successor, answer[1:], text)
            if kind != 'final':
                self.assertEqual((ours['cur'], ours['branch'], ours['next'], ours['mode'], ours['intent']),
                                 (after[0], after[1], after[2], after[6], after[7]), text)
            compared += 1
        self.assertGreater(compared, 10_000)


if __name__ == '__main__':
    unittest.main()
