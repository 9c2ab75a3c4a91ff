// SPDX-License-Identifier: Apache-2.0

// The files of apps: `app.json` with its rules, `schema.json`, and the settings of a server.

#if Tools && Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmTestSupport

extension FuzzTarget {
  /// Reads the file of an app, or another of a server's: the first byte says which. What was read
  /// is written as it was, and its rules are asked about users.
  static let app = FuzzTarget(
    name: "app", byteCountMax: 2_048,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let bytes = Array(input.dropFirst())
      do {
        switch first % 4 {
        case 0: return try read(AppFile(bytes))
        case 1: return try read(appWithRules.get().replacingRules(by: bytes))
        case 2: return try read(AppSchema(bytes))
        default: _ = try ServerSettingsFile(bytes)
        }
        return .read
      } catch is AppFileError { return .refused }
    },
    seeds: { _ in
      let rules = try appTexts.map { try AppFile(Array($0.utf8)).rules }
      return appTexts.map { [0] + Array($0.utf8) } + rules.map { [1] + JSONWriter.bytes($0) }
        + schemaTexts.map { [2] + Array($0.utf8) }
        + [[3] + Array(#"{"backups":{"folder":"b","schedule":"0 3 * * 1-5","keep":3}}"#.utf8)]
    })

  private static let appWithRules = Result { () throws(AppFileError) in
    try AppFile(Array(appTexts[0].utf8))
  }

  /// Asks what users may do by a file, which has to be the same when it is written and read again.
  private static func read(_ file: AppFile) throws -> Outcome {
    let written = JSONWriter.bytes(file.json)
    guard let again = try? AppFile(written), again == file else {
      throw Finding("written and read again, it is another: \(JSONWriter.text(file.json))")
    }
    let data = BSONValue.document([
      BSONElement("user_id_field", .string("x")), BSONElement("teams", .array([.int32(1), .null])),
    ])
    let users = [
      RuleUser(id: "x", email: "a@x.org", customData: data), RuleUser(id: "y"),
    ]
    for user in users {
      for partition: BSONValue? in [nil, .string("p"), .int64(1)] {
        let context = RuleContext(user: user, partition: partition)
        _ = file.permissions.permission(in: context)
        for function in file.functions { _ = function.options.canEvaluate.holds(in: context) }
      }
      _ = file.roles.permissions(of: user)
      for name in ["Todo", "Other"] {
        _ = RoleExplanation(file.roles, of: user, className: name)
      }
    }
    return .read
  }

  /// Compares a schema with what its text has, and with rules.
  private static func read(_ schema: AppSchema) throws -> Outcome {
    guard try AppSchema(Array(schema.text.utf8)).text == schema.text else {
      throw Finding("written and read again, a schema is another: \(schema.text)")
    }
    _ = try appWithRules.get().roles.misfits(in: schema)
    return .read
  }

  private static let appTexts = [
    #"{"id":"a","name":"A","mode":"production","sync":"flexible","values":{"admins":["x",1]},"#
      + #""roles":{"default":[{"name":"r","apply_when":{"%%user.id":{"$in":"%%values.admins"}},"#
      + #""read":true,"write":true,"insert":true,"delete":true,"document_filters":{"#
      + #""read":{"owner":"%%user.id","n":{"$gte":3,"$lt":9}},"#
      + #""write":{"$or":[{"a":1},{"b":null}]}},"#
      + #""fields":{"f":{"fields":{"g":{"read":true,"write":true}},"#
      + #""additional_fields":{"read":true}}},"additional_fields":{"read":true}}],"#
      + #""classes":{"Todo":[{"name":"s","apply_when":{},"read":true}]}}}"#,
    #"{"id":"a","mode":"production","sync":"partition","#
      + #""permissions":{"read":{"%%partition":"p"},"#
      + #""write":{"$or":[{"%%user.custom_data.teams":{"$exists":true}},"#
      + #"{"%%user.type":{"$ne":"server"}}]}},"custom_user_data":{"class":"P","#
      + #""user_id_field":"user","partition":"p"},"#
      + #""documents":{"service":"d","partition_key":"k"}}"#,
    #"{"id":"a","providers":{"anon-user":{},"api-key":{},"local-userpass":{"confirm":"mail"},"#
      + #""custom-function":{"function":"f"},"custom-token":{"algorithm":"RS256","#
      + #""jwks_url":"https://x.org/k","audience":["b"],"metadata_fields":[{"name":"a.b","#
      + #""field_name":"c","required":true}]},"oauth2-google":{"client_ids":["c"],"codes":{"#
      + #""client_id":"c","client_secret":"s"}}},"mail":{"from":"a@x.org","#
      + #""confirm_url":"https://x.org/c","reset_url":"https://x.org/r","#
      + #""smtp":{"host":"h","security":"tls"}},"tokens":{"accessMinutes":5}}"#,
    #"{"id":"a","functions":[{"name":"f","timeout":5,"can_evaluate":{"%%user.id":"x"}}],"#
      + #""triggers":[{"name":"t","type":"database","function":"f","collection":"Todo","#
      + #""operation_types":["insert"],"match":{"fullDocument.n":{"$gte":3}}},{"name":"u","#
      + #""type":"scheduled","function":"f","schedule":"*/5 0-3 1,2 * mon"}],"#
      + #""allowed_origins":["https://x.org","*"]}"#,
  ]

  private static let schemaTexts = [
    #"{"classes":[{"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":["#
      + #"{"name":"_id","type":"objectId"},{"name":"f","type":"object","target":"P","#
      + #""optional":true},{"name":"l","type":"int","collection":"list"}]},"#
      + #"{"name":"P","kind":"embedded","properties":[{"name":"g","type":"mixed"}]}]}"#
  ]
}
#endif
