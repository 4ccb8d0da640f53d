-- A study of format 1, as an SQL text of its tables and rows.
PRAGMA application_id = 1347572557;
PRAGMA user_version = 1;
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE revision (
  id INTEGER PRIMARY KEY,
  scenario INTEGER NOT NULL REFERENCES scenario (id) ON DELETE CASCADE,
  time_ms INTEGER NOT NULL,
  label TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
INSERT INTO "revision" VALUES(1,1,1767225601000,'Added','{"version":1,"name":"base"}');
INSERT INTO "revision" VALUES(2,2,1767225602000,'Added','{"version":1,"name":"tp 4"}');
INSERT INTO "revision" VALUES(3,1,1767225603000,'Sequence length','{"version":1,"name":"base","model":{"seq_length":8192}}');
INSERT INTO "revision" VALUES(4,2,1767225604000,'Tensor parallel','{"version":1,"name":"tp 4","parallelism":{"tensor_model_parallel_size":4}}');
INSERT INTO "revision" VALUES(5,1,1767225605000,'Note','{"version":1,"name":"base","note":"ü","model":{"seq_length":8192}}');
INSERT INTO "revision" VALUES(6,3,1767225606000,'Added','{"version":1,"name":"third"}');
INSERT INTO "revision" VALUES(7,2,1767225607000,'Pipeline parallel','{"version":1,"name":"tp 4","parallelism":{"tensor_model_parallel_size":4,"pipeline_model_parallel_size":2}}');
CREATE TABLE scenario (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  colour TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  visible INTEGER NOT NULL DEFAULT 1 CHECK (visible IN (0, 1)),
  parent INTEGER REFERENCES scenario (id) ON DELETE SET NULL,
  current INTEGER REFERENCES revision (id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
INSERT INTO "scenario" VALUES(1,'base',0,'#0072b2','as it runs today',1,NULL,5);
INSERT INTO "scenario" VALUES(2,'tp 4',1,'#d55e00','',0,1,4);
INSERT INTO "scenario" VALUES(3,'with "quotes", and, commas',2,'','line one
line two',1,2,6);
CREATE TABLE study (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  program TEXT NOT NULL,
  baseline INTEGER REFERENCES scenario (id) ON DELETE SET NULL
) STRICT;
INSERT INTO "study" VALUES(1,'Plan of the spring',1767225600000,'prism-explorer 0.0.1',1);
CREATE TABLE view_state (name TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
INSERT INTO "view_state" VALUES('layout','{"dock":"left"}');
CREATE INDEX revision_by_scenario ON revision (scenario);
COMMIT;
