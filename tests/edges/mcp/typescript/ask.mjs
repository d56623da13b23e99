// Lists the tools of an MCP server with an official client, makes the calls that a file lists, and prints what came
// back, over stdio or HTTP: node ask.mjs v1|v2 CALLS.json COMMAND ARGUMENT... or node ask.mjs v1|v2 CALLS.json URL
import { readFileSync } from 'node:fs'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const [era, callsFile, command, ...args] = process.argv.slice(2)

async function connect() {
  const identity = { name: 'tribal-knowledge-mcp-check', version: '1.0.0' }
  if (era === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    return { client: new Client(identity), transport: over(StdioClientTransport, StreamableHTTPClientTransport) }
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  return {
    client: new Client(identity, { versionNegotiation: { mode: 'auto' } }),
    transport: over(StdioClientTransport, StreamableHTTPClientTransport),
  }
}

function over(Stdio, Http) {
  return command.startsWith('http') ? new Http(new URL(command)) : new Stdio({ command, args })
}

function validators(tools) {
  const engines = [Ajv, Ajv2020].map((Engine) => addFormats(new Engine({ strict: false, allErrors: true })))
  return Object.fromEntries(
    tools.map((tool) => [tool.name, engines.map((engine) => engine.compile(tool.outputSchema))]),
  )
}

const { client, transport } = await connect()
await client.connect(transport)
const { tools } = await client.listTools()
const valid = validators(tools)
const answers = []
for (const call of JSON.parse(readFileSync(callsFile, 'utf8'))) {
  try {
    const result = await client.callTool(call)
    const data = result.structuredContent
    answers.push({
      isError: result.isError ?? false,
      data,
      text: result.content[0].text,
      valid: valid[call.name].map((check) => check(data)),
    })
  } catch (error) {
    answers.push({ refused: error.code ?? null, message: String(error.message) })
  }
}
const version = era === 'v1' ? null : client.getNegotiatedProtocolVersion?.()
process.stdout.write(JSON.stringify({ version, instructions: client.getInstructions?.(), tools, answers }))
await client.close()
