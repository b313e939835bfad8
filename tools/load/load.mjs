// Sends requests to a server: load.mjs < {"url", "connections", "seconds", "rate"?, "bodies": [...], "path"}; prints figures as JSON.
import autocannon from "autocannon";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const task = JSON.parse(Buffer.concat(chunks).toString());
let next = 0;
const options = {
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
};
// The generator's own percentiles are whole milliseconds.
const times = [];
const result = await new Promise((resolve, reject) => {
  const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
  run.on("response", (client, status, bytes, time) => times.push(time));
});
times.sort((one, other) => one - other);
const quantile = (part) => times[Math.min(times.length - 1, Math.floor(part * times.length))];
console.log(
  JSON.stringify({
    requests_per_second: result.requests.total / result.duration,
    p50_ms: quantile(0.5),
    p95_ms: quantile(0.95),
    p99_ms: quantile(0.99),
    max_ms: times.at(-1),
    errors: result.errors + result.timeouts,
    not_ok: result.non2xx,
    answered: result["2xx"],
  }),
);
