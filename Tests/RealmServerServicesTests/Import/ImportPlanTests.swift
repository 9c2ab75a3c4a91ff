// SPDX-License-Identifier: Apache-2.0

// What an import makes of exports.

#if Server
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct ImportPlanTests {
  private static func plan(
    _ export: [String: String], _ dump: [String: String] = ["dump/todo/Item.json": ""],
    changing changes: [String: String] = [:]
  ) throws -> AppImportPlan {
    var files = TutorialExport.files(export.merging(changes) { _, new in new })
    files.add(dump)
    return try AppImportPlan("app", data: "dump", in: files)
  }

  @Test func anAppWithFlexibleSyncIsCarriedOver() throws {
    let plan = try Self.plan(TutorialExport.flexible)
    let app = plan.app
    expectEqual(app.id, "tasks-abcde")
    expectEqual(app.name, "tasks")
    expectEqual(app.stage, .production)
    expectEqual(app.mode, .flexible)
    expectEqual(app.documents.service, "mongodb-atlas")
    expectFalse(app.accounts.allowsAnonymous)
    expectTrue(app.accounts.allowsKeys)
    expectEqual(app.accounts.confirmation, .auto)
    expectEqual(app.accounts.mail.links[.passwordReset], "https://tasks.example.org/reset")
    expectEqual(app.customUserData, CustomUserData(className: "Profile", userField: "owner_id"))
    expectEqual(app.roles.fallback.map(\.name), ["owner"])
    expectEqual(app.roles.classes["Profile"]?.map(\.name), ["all"])
    expectTrue(app.roles.misfits(in: plan.schema).isEmpty)
    // The file is one that a server reads.
    try expectEqual(AppFile(Array(app.text().utf8)), app)
    for line in [
      "The function greet is not carried over: write it in Swift",
      "The trigger onItem is not carried over", "The endpoint GET /hook is not carried over",
      "The queryable fields (owner_id) need no list", "Development mode was on, and is off",
      "start the server with --offline-days 30", "The provider anon-user is off",
      "The collection todo.Item becomes the class Item.",
      "The dump has no documents of todo.Profile.",
    ] { #expect(plan.text.contains(line), "\(line)") }
  }

  @Test(arguments: [
    #""allowed_request_origins":["#, #""security":{"allowed_request_origins":["#,
  ])
  func originsOfPagesAreCarriedOver(_ member: String) throws {
    let origins = #""https://App.example.org:443","http://localhost:8080","*.example.org"]"#
    let end = member.contains("security") ? "}" : ""
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "root_config.json": #"{"app_id":"tasks-abcde","name":"tasks",\#(member)\#(origins)\#(end)}"#
      ])
    expectEqual(plan.app.allowedOrigins, ["https://app.example.org", "http://localhost:8080"])
    #expect(plan.text.contains("The origin *.example.org of pages is none that browsers name"))
    try expectEqual(AppFile(Array(plan.app.text().utf8)), plan.app)
  }

  @Test func schemasBecomeClasses() throws {
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "data_sources/mongodb-atlas/todo/All/schema.json": #"""
        {"title":"Every","required":["_id","i","dec"],"properties":{"_id":{"bsonType":"uuid"},
         "i":{"bsonType":"int"},"f":{"bsonType":"float"},"d":{"bsonType":["double","null"]},
         "dec":{"bsonType":"decimal"},"t":{"bsonType":"date"},"b":{"bsonType":"binData"},
         "m":{"bsonType":"mixed"},"none":{},"two":{"bsonType":["int","string"]},
         "set":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"long"}},
         "map":{"bsonType":"object","additionalProperties":{"bsonType":"string"}},
         "places":{"bsonType":"array","items":{"bsonType":"object","title":"Place",
           "properties":{"street":{"bsonType":"string"},"zip":{"bsonType":"string"}}}},
         "inner":{"bsonType":"object","properties":{"item":{"bsonType":"objectId"}}},
         "items":{"bsonType":"array","items":{"bsonType":"objectId"}},
         "other":{"bsonType":"string"},"x":{"bsonType":"javascript"}}}
        """#,
        "data_sources/mongodb-atlas/todo/All/relationships.json": #"""
        {"items":{"ref":"#/relationship/mongodb-atlas/todo/Item","foreign_key":"_id",
          "is_list":true},
         "inner.item":{"ref":"#/relationship/mongodb-atlas/todo/Item","foreign_key":"_id"},
         "other":{"ref":"#/relationship/mongodb-atlas/todo/Item","foreign_key":"name"}}
        """#,
      ])
    let every = try #require(plan.schema.declared["Every"])
    let shapes = every.properties.map { property in
      "\(property.name):\(SchemaJSON.typeName(property.type))\(property.isNullable ? "?" : "")"
        + (property.collection.name.map { ":\($0)" } ?? "")
        + (property.target.map { ":\($0)" } ?? "")
    }
    expectEqual(
      shapes,
      [
        "_id:uuid", "i:int", "f:float?", "d:double?", "dec:decimal", "t:date?", "b:data?",
        "m:mixed?", "none:mixed?", "two:mixed?", "set:int:set", "map:string:dictionary",
        "places:object:list:Place", "inner:object?:Every_inner", "items:object:list:Item",
        "other:string?",
      ])
    expectEqual(plan.schema.declared["Every_inner"]?.properties.first?.target, "Item")
    // Both definitions of a class of embedded objects count together.
    let street = plan.schema.declared["Place"]?.properties.map(\.name)
    expectEqual(Set(street ?? []), ["street", "number", "zip"])
    expectTrue(plan.text.contains("The property Every.x has the type \"javascript\""))
    expectTrue(plan.text.contains("Every.other has a relationship by \"name\", and stays a value"))
  }

  @Test func twoCollectionsCannotHaveOneTitle() throws {
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "data_sources/mongodb-atlas/other/Things/schema.json":
          #"{"title":"Item","properties":{"_id":{"bsonType":"int"}}}"#
      ])
    expectTrue(plan.text.contains("has the title \"Item\""))
    expectTrue(plan.schema.declared["Item"] != nil)
  }

  @Test func namesHaveALength() throws {
    let long = String(repeating: "x", count: 64)
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "data_sources/mongodb-atlas/todo/Long/schema.json":
          #"{"title":"\#(long)","properties":{"_id":{"bsonType":"int"}}}"#,
        "data_sources/mongodb-atlas/todo/More/schema.json": #"""
        {"title":"More","properties":{"_id":{"bsonType":"int"},"\#(long)":{"bsonType":"int"},
         "inner":{"bsonType":"object","title":"\#(long)","properties":{"a":{}}}}}
        """#,
      ])
    expectEqual(plan.schema.declared[long], nil)
    expectEqual(plan.schema.declared["More"]?.properties.map(\.name), ["_id"])
    expectTrue(plan.text.contains("is longer than 57 bytes"))
    expectTrue(plan.text.contains("The property More.\(long) has a name that no property can have"))
  }

  /// No user gets more than before: where a role cannot be read, nobody gets its rights, nor those
  /// of the roles after it.
  /// `RoleTranslation` 1
  @Test func rolesThatCannotBeReadGiveNothing() throws {
    let rules = #"""
      {"roles":[
        {"name":"first","apply_when":{"%%user.id":"ann"},"read":true,"write":false},
        {"name":"odd","apply_when":{"%%user.id":"bob"},
         "document_filters":{"read":{"owner_id":{"%stringToOid":"%%user.id"}},"write":false},
         "read":true,"write":true},
        {"name":"secret","apply_when":{"%%true":{"%function":{"name":"isAdmin"}}},
         "read":true,"write":true},
        {"name":"rest","apply_when":{},"read":true,"write":true}]}
      """#
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: ["data_sources/mongodb-atlas/todo/Item/rules.json": rules])
    let roles = plan.app.roles.roles(ofClass: "Item")
    expectEqual(roles.map(\.name), ["first", "odd"])
    func permission(_ user: String) -> ClassPermission {
      plan.app.roles.permissions(of: RuleUser(id: user))["Item"]
    }
    expectEqual(permission("ann").read, .constant(true))
    expectEqual(permission("bob").read, .constant(false))
    expectEqual(permission("eve").read, .constant(false))
    expectTrue(plan.text.contains("The role \"odd\" of Item cannot be carried over"))
    expectTrue(plan.text.contains("The role \"secret\" of Item cannot be carried over"))
  }

  @Test func olderRolesOfSyncAreRead() throws {
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "data_sources/mongodb-atlas/default_rule.json": "{}",
        "data_sources/mongodb-atlas/todo/Profile/rules.json": "{}",
        "sync/config.json": #"{"development_mode_enabled":false}"#,
        "data_sources/mongodb-atlas/config.json": #"""
        {"name":"mongodb-atlas","type":"mongodb-atlas","config":{"flexible_sync":{
         "state":"enabled","database_name":"todo","permissions":{
           "rules":{"Profile":[{"name":"all","applyWhen":{},"read":true,"write":false}]},
           "defaultRoles":[{"name":"own","applyWhen":{},"read":{"owner_id":"%%user.id"},
             "write":{"owner_id":"%%user.id"}}]}}}}
        """#,
      ])
    let own = try #require(plan.app.roles.fallback.first)
    expectTrue(own.reads)
    expectTrue(own.writes)
    expectTrue(own.inserts)
    expectTrue(own.deletes)
    let permissions = plan.app.roles.permissions(of: RuleUser(id: "ann"))
    expectTrue(permissions["Item"].read != .constant(true))
    expectEqual(permissions["Profile"].read, .constant(true))
  }

  @Test func anOldAppWithPartitionsIsCarriedOver() throws {
    let plan = try Self.plan(
      TutorialExport.partitioned, ["dump/todo/Task.json": "", "dump/todo/Extra.json": ""])
    expectEqual(plan.app.id, "tasks_old")
    expectEqual(plan.app.mode, .partition)
    expectEqual(plan.app.documents.partitionKey, "_partition")
    expectTrue(plan.needsPartition)
    expectTrue(plan.app.accounts.allowsAnonymous)
    expectEqual(plan.app.permissions.read, .constant(true))
    expectEqual(plan.schema.declared["Task"]?.primaryKey, "_id")
    expectEqual(plan.app.customUserData, nil)
    expectEqual(plan.route(of: DumpNamespace("todo", "Extra"))?.userField, "user")
    for line in [
      "The id \"Tasks_Old\" becomes \"tasks_old\"", "The service mail is not carried over",
      "The trigger nightly is not carried over", "become the custom data of the users",
    ] { #expect(plan.text.contains(line), "\(line)") }
  }

  @Test func rulesAboutAddressesNeedConfirmedOnes() throws {
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "data_sources/mongodb-atlas/default_rule.json": #"""
        {"roles":[{"name":"r","apply_when":{"%%user.data.email":"a@b.org"},"read":true}]}
        """#
      ])
    expectEqual(plan.app.accounts.confirmation, .mail)
  }

  @Test func valuesOfRulesAreConstants() throws {
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "values/admins.json": #"{"name":"admins","value":["ann"],"from_secret":false}"#,
        "values/key.json": #"{"name":"key","value":"name","from_secret":true}"#,
        "data_sources/mongodb-atlas/default_rule.json": #"""
        {"roles":[{"name":"r","apply_when":{"%%user.id":{"$in":"%%values.admins"}},"read":true}]}
        """#,
      ])
    expectEqual(
      plan.app.roles.permissions(of: RuleUser(id: "ann"))["Item"].read, .constant(true))
    expectTrue(plan.app.roles.permissions(of: RuleUser(id: "bob"))["Item"].read != .constant(true))
    expectTrue(plan.text.contains("The value key is secret"))
  }

  @Test func valuesOfTheEnvironmentAreThoseOfTheApp() throws {
    let plan = try Self.plan(
      TutorialExport.flexible,
      changing: [
        "environments/production.json": #"{"values":{"boss":"ann"}}"#,
        "environments/testing.json": #"{"values":{"boss":"bob"}}"#,
        "data_sources/mongodb-atlas/default_rule.json": #"""
        {"roles":[{"name":"r","apply_when":{"%%user.id":"%%environment.values.boss"},"read":true}]}
        """#,
      ])
    func mayRead(_ user: String) -> Bool {
      plan.app.roles.permissions(of: RuleUser(id: user))["Item"].read == .constant(true)
    }
    expectTrue(mayRead("ann"))
    expectFalse(mayRead("bob"))
  }

  @Test func aFolderWithoutAnAppIsNamed() throws {
    #expect {
      try Self.plan(["readme.json": "{}"])
    } throws: {
      "\($0)".hasPrefix("app is no export of App Services: none of root_config.json")
    }
    #expect {
      try Self.plan(TutorialExport.flexible, [:])
    } throws: {
      "\($0)".contains("There is no file dump")
    }
    #expect {
      try Self.plan(TutorialExport.flexible, changing: ["sync/config.json": "{"])
    } throws: {
      "\($0)".contains("app/sync/config.json is no JSON")
    }
  }
}
#endif
