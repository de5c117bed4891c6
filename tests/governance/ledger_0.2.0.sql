-- A file of version 0.2.0 with three requests, of which two are in its sums.
CREATE TABLE counted (last_row INTEGER NOT NULL, totals_since INTEGER NOT NULL DEFAULT 0);
INSERT INTO "counted" VALUES(2,0);
CREATE TABLE requests (
     time INTEGER NOT NULL, id TEXT NOT NULL, key TEXT, tags TEXT NOT NULL, model TEXT,
     provider TEXT, upstream TEXT, format TEXT NOT NULL, status INTEGER NOT NULL, error TEXT,
     attempts INTEGER NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
     cache_write INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
     source TEXT NOT NULL, usd REAL, prices TEXT, ms REAL NOT NULL, first_token_ms REAL
   , attempt_rows TEXT);
INSERT INTO "requests" VALUES(1795343400000,'req_1','a','["x"]','m','p','m-1','chat_completions',200,NULL,1,10,2,0,5,1,'vendor',0.001,'{"input":1,"cachedInput":null,"cacheWrite":null,"cacheWriteHour":null,"output":2}',100.0,NULL,NULL);
INSERT INTO "requests" VALUES(1795343400000,'req_2','a','[]','m','p','m-1','chat_completions',200,NULL,1,10,2,0,5,1,'vendor',0.25,'{"input":1,"cachedInput":null,"cacheWrite":null,"cacheWriteHour":null,"output":2}',100.0,20.0,NULL);
INSERT INTO "requests" VALUES(1795343400000,'req_3','a','[]','m','p','m-1','chat_completions',429,'rate_limit_exceeded',1,0,0,0,0,0,'none',0.0,NULL,100.0,NULL,'[{"provider":"p","upstream":"m-1","startedMs":0,"ms":1,"status":429,"error":"rate_limited"}]');
CREATE TABLE usage_sums (
     span INTEGER NOT NULL, start INTEGER NOT NULL, tag TEXT NOT NULL, key TEXT NOT NULL,
     model TEXT NOT NULL, provider TEXT NOT NULL, requests INTEGER NOT NULL,
     errors INTEGER NOT NULL, input INTEGER NOT NULL, cached_input INTEGER NOT NULL,
     cache_write INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
     estimated INTEGER NOT NULL, usd REAL NOT NULL, unpriced INTEGER NOT NULL,
     durations TEXT NOT NULL, first_tokens TEXT NOT NULL,
     PRIMARY KEY (span, start, tag, key, model, provider)
   );
INSERT INTO "usage_sums" VALUES(0,1795341600000,'','a','m','p',2,0,20,4,0,10,2,0,0.251,0,'49:2','32:1');
INSERT INTO "usage_sums" VALUES(1,1795305600000,'','a','m','p',2,0,20,4,0,10,2,0,0.251,0,'49:2','32:1');
INSERT INTO "usage_sums" VALUES(2,1795341600000,'#x','a','m','p',1,0,10,2,0,5,1,0,0.001,0,'49:1','');
INSERT INTO "usage_sums" VALUES(2,1795341600000,'-','a','m','p',1,0,10,2,0,5,1,0,0.25,0,'49:1','32:1');
INSERT INTO "usage_sums" VALUES(3,1795305600000,'#x','a','m','p',1,0,10,2,0,5,1,0,0.001,0,'49:1','');
INSERT INTO "usage_sums" VALUES(3,1795305600000,'-','a','m','p',1,0,10,2,0,5,1,0,0.25,0,'49:1','32:1');
INSERT INTO "usage_sums" VALUES(4,1795341600000,'','','','',2,0,20,4,0,10,2,0,0.251,0,'49:2','32:1');
CREATE INDEX requests_time ON requests (time);
CREATE INDEX requests_key ON requests (key, time);
CREATE INDEX requests_failed ON requests (time) WHERE status >= 400 OR error IS NOT NULL;
CREATE INDEX requests_key_failed ON requests (key, time)
     WHERE status >= 400 OR error IS NOT NULL;
PRAGMA user_version = 5;
