// A token bucket, counted by Redis in one step.
// Arguments: quota, seconds of the window, tokens wanted (negative: given back). By the clock of Redis, which is one.
export const rateBucketScript = `
local quota, window, asked = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(state[1]) or quota
local at = tonumber(state[2]) or now
tokens = math.min(quota, tokens + math.max(0, now - at) * quota / (window * 1000))
local granted = 0
if asked < 0 then tokens = math.min(quota, tokens - asked)
else granted = math.min(asked, math.floor(tokens + 1e-9)) end
tokens = math.max(0, tokens - granted)
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], window * 1000 + 1000)
return { granted, string.format('%.6f', tokens) }
`
/** Asks for nothing, and shows whether this Redis can do what is asked of it. */
export const rateBucketGreeting = ['EVAL', rateBucketScript, '1', 'portico:rate:check', '1', '1', '0']
