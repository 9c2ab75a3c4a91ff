// SPDX-License-Identifier: Apache-2.0

// An app as the tutorials of the former service had them: two classes, each object with an owner.

#if Server
@testable import RealmServerServices

/// The files of an export.
enum TutorialExport {
  /// In the newest arrangement of files.
  static let flexible = [
    "root_config.json": #"""
    {"app_id":"tasks-abcde","name":"tasks","config_version":20210101,"environment":"production"}
    """#,
    "auth/providers.json": #"""
    {"anon-user":{"name":"anon-user","type":"anon-user","disabled":true},
     "api-key":{"name":"api-key","type":"api-key","disabled":false},
     "local-userpass":{"name":"local-userpass","type":"local-userpass","disabled":false,
       "config":{"autoConfirm":true,"resetPasswordUrl":"https://tasks.example.org/reset",
         "resetPasswordSubject":"Your new password"}}}
    """#,
    "auth/custom_user_data.json": #"""
    {"enabled":true,"mongo_service_name":"mongodb-atlas","database_name":"todo",
     "collection_name":"Profile","user_id_field":"owner_id"}
    """#,
    "data_sources/mongodb-atlas/config.json": #"""
    {"name":"mongodb-atlas","type":"mongodb-atlas","config":{"clusterName":"Cluster0"}}
    """#,
    "data_sources/mongodb-atlas/default_rule.json": #"""
    {"roles":[{"name":"owner","apply_when":{},
      "document_filters":{"read":{"owner_id":"%%user.id"},"write":{"owner_id":"%%user.id"}},
      "read":true,"write":true,"insert":true,"delete":true,"search":true}],"filters":[]}
    """#,
    "data_sources/mongodb-atlas/todo/Item/schema.json": #"""
    {"title":"Item","bsonType":"object","required":["_id","owner_id","summary","isComplete"],
     "properties":{
       "_id":{"bsonType":"objectId"},"owner_id":{"bsonType":"string"},
       "summary":{"bsonType":"string"},"isComplete":{"bsonType":"bool"},
       "priority":{"bsonType":"long"},"profile":{"bsonType":"objectId"},
       "tags":{"bsonType":"array","items":{"bsonType":"string"}},
       "place":{"title":"Place","bsonType":"object","required":["street"],
         "properties":{"street":{"bsonType":"string"},"number":{"bsonType":"int"}}}}}
    """#,
    "data_sources/mongodb-atlas/todo/Item/relationships.json": #"""
    {"profile":{"ref":"#/relationship/mongodb-atlas/todo/Profile","foreign_key":"_id",
      "is_list":false}}
    """#,
    "data_sources/mongodb-atlas/todo/Profile/schema.json": #"""
    {"title":"Profile","bsonType":"object","required":["_id","owner_id"],
     "properties":{"_id":{"bsonType":"objectId"},"owner_id":{"bsonType":"string"},
       "name":{"bsonType":"string"}}}
    """#,
    "data_sources/mongodb-atlas/todo/Profile/rules.json": #"""
    {"database":"todo","collection":"Profile","roles":[{"name":"all","apply_when":{},
      "document_filters":{"read":true,"write":{"owner_id":"%%user.id"}},
      "read":true,"write":true,"insert":true,"delete":true}]}
    """#,
    "sync/config.json": #"""
    {"type":"flexible","state":"enabled","development_mode_enabled":true,
     "service_name":"mongodb-atlas","database_name":"todo","client_max_offline_days":30,
     "queryable_fields_names":["owner_id"]}
    """#,
    "functions/config.json": #"[{"name":"greet","private":false}]"#,
    "functions/greet.js": "exports = () => 1;",
    "triggers/onItem.json": #"{"name":"onItem","type":"DATABASE"}"#,
    "https_endpoints/config.json": #"[{"route":"/hook","http_method":"GET"}]"#,
  ]

  /// In an old arrangement of files, with partitions.
  static let partitioned = [
    "config.json": #"""
    {"app_id":"Tasks_Old","name":"Tasks","custom_user_data_config":{"enabled":true,
     "mongo_service_name":"mongodb-atlas","database_name":"todo","collection_name":"Extra",
     "user_id_field":"user"}}
    """#,
    "auth_providers/anon-user.json":
      #"{"name":"anon-user","type":"anon-user","disabled":false}"#,
    "services/mongodb-atlas/config.json": #"""
    {"name":"mongodb-atlas","type":"mongodb-atlas","config":{"clusterName":"Cluster0",
     "sync":{"state":"enabled","database_name":"todo","partition":{"key":"_partition",
       "type":"string","required":true,"permissions":{"read":true,
         "write":{"%%partition":"%%user.id"}}}}}}
    """#,
    "services/mongodb-atlas/rules/todo.Task.json": #"""
    {"database":"todo","collection":"Task","roles":[],"schema":{"title":"Task",
     "bsonType":"object","required":["_id","name"],"properties":{"_id":{"bsonType":"objectId"},
     "name":{"bsonType":"string"},"_partition":{"bsonType":"string"}}},"relationships":{}}
    """#,
    "services/mail/config.json": #"{"name":"mail","type":"http"}"#,
    "triggers/nightly.json": #"{"name":"nightly","type":"SCHEDULED"}"#,
  ]

  /// The files of an export in the folder "app".
  static func files(_ export: [String: String]) -> MemoryFiles {
    var files = MemoryFiles()
    files.add(Dictionary(uniqueKeysWithValues: export.map { ("app/\($0.key)", $0.value) }))
    return files
  }
}
#endif
