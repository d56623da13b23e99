"""The state machine of an interrogation, in the Amazon States Language (JSONPath).

An execution has the id of its session as its name, so a session that is started twice runs once.
"""

from __future__ import annotations

from infra.stacks.looping import Loop, States, looping_states, task_state

SESSION_SECONDS = 12 * 3600
"""A session has 20 questions at most, and a call of the function takes 15 minutes at most."""
MOST_CALLS = 60
"""Calls for 20 questions and an audit, and for the hour below. By judgement."""
PAUSE_SECONDS = 60
"""The pause between two calls, which together outlast the lease of a call that died, and a provider that is down for
half an hour. By judgement."""


def session_definition(function: str, timeout_seconds: int, *, pause_seconds: int = PAUSE_SECONDS) -> States:
    """The state machine that runs the session of an id: calls the interrogator until the session has ended.

    It succeeds when the session has ended, whatever its status, and fails when it cannot be brought to an end.
    """
    session = {"session_id.$": "$.session_id"}
    loop = Loop(
        name="Interrogate", fields=session, done="Ended", too_many="Stuck", most=MOST_CALLS, pause_seconds=pause_seconds
    )
    call = task_state(function, session, timeout_seconds) | {
        "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Failed"}]
    }
    return {
        "Comment": "An interrogation: call the interrogator until its session has ended",
        "StartAt": "BeforeInterrogate",
        "TimeoutSeconds": SESSION_SECONDS,
        "States": {
            **looping_states(loop, call),
            "Ended": {"Type": "Succeed"},
            "Stuck": {
                "Type": "Fail",
                "Error": "InterrogationStuck",
                "Cause": "The session is still running after all calls; its audit trail may say why",
            },
            "Failed": {
                "Type": "Fail",
                "Error": "InterrogationFailed",
                "Cause": "The interrogator failed; its log says why",
            },
        },
    }
