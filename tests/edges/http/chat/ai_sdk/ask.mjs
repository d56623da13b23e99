// Asks a chat with the AI SDK and its defaults, and prints what a page would have: node ask.mjs VERSION API QUESTIONS.json
// Each question is asked twice: through the transport, and through the class behind `useChat`.
import { readFileSync } from 'node:fs'

const [version, api, questionsFile] = process.argv.slice(2)
const { AbstractChat, DefaultChatTransport, readUIMessageStream } = await import(`ai${version}`)

class State {
  messages = []
  status = 'ready'
  error = undefined
  pushMessage = (message) => {
    this.messages = [...this.messages, message]
  }
  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, message)
  }
  snapshot = (value) => structuredClone(value)
}

class PageChat extends AbstractChat {
  constructor(transport) {
    super({ transport, state: new State(), onFinish: (event) => (this.finished = event.isError ?? false) })
  }
}

async function throughTransport(text) {
  const messages = [{ id: 'm-1', role: 'user', parts: [{ type: 'text', text }] }]
  const errors = []
  let message = null
  try {
    const transport = new DefaultChatTransport({ api })
    const stream = await transport.sendMessages({ chatId: 'c-1', trigger: 'submit-message', messages })
    for await (const each of readUIMessageStream({ stream, onError: (error) => errors.push(error.message) })) {
      message = each
    }
  } catch (error) {
    return { refused: error.message }
  }
  return { message, errors }
}

async function throughPage(text) {
  const chat = new PageChat(new DefaultChatTransport({ api }))
  await chat.sendMessage({ text })
  return { message: chat.messages.at(-1), status: chat.status, error: chat.error?.message ?? null }
}

const answers = []
for (const question of JSON.parse(readFileSync(questionsFile, 'utf8'))) {
  answers.push({ transport: await throughTransport(question), page: await throughPage(question) })
}
process.stdout.write(JSON.stringify(answers))
