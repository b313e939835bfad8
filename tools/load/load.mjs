// Sends requests to a server: load.mjs < {"url", "connections", "seconds", "rate"?, "bodies": [...], "path"}; prints figures as JSON.
import autocannon from "autocannon";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const task = JSON.parse(Buffer.concat(chunks).toString());
let next = 0;
const result = await autocannon({
  url: task.url,
  connections: task.connections,
  duration: task.seconds,
  overallRate: task.rate,
  timeout: 60,
  requests: [
    {
      method: "POST",
      path: task.path,
      headers: { "content-type": "application/json" },
      setupRequest: (request) => {
        const number = next++;
        // Texts that are written must differ; a number makes them.
        const body = task.bodies[number % task.bodies.length];
        return { ...request, body: task.numbered ? body.replace("#", `number ${number}`) : body };
      },
    },
  ],
});
console.log(
  JSON.stringify({
    requests_per_second: result.requests.total / result.duration,
    p50_ms: result.latency.p50,
    p97_5_ms: result.latency.p97_5,
    p99_ms: result.latency.p99,
    max_ms: result.latency.max,
    errors: result.errors + result.timeouts,
    not_ok: result.non2xx,
    answered: result["2xx"],
  }),
);
