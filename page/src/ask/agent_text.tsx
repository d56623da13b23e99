// What an agent gets that is about to write SQL for a question.
import {Fragment, h} from "preact";
import {useLoaded} from "../app";
import {fromServer} from "../data/source";
import {counted} from "../text";
import {Loading, Problem, Sql} from "../ui";

export function AgentText({question}: {question: string}) {
  const {value, problem} = useLoaded(question, () =>
    fromServer<{text: string; tokens_used: number}>("v1/tools/get_query_context", {question}),
  );
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  return (
    <>
      <Sql language="text for agents">{value.text}</Sql>
      <p class="src">{counted(value.tokens_used, "token")}</p>
    </>
  );
}
