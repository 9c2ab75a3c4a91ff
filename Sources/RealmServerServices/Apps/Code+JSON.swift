// SPDX-License-Identifier: Apache-2.0

// The members "functions", "triggers" and "push" as `app.json` has them.

#if Server
import RealmFormats
import RealmServerEngine

extension FunctionSettings {
  /// An element of the member "functions".
  func json(_ rules: inout RuleWriter) -> JSONValue {
    var members = [JSONMember("name", .string(name))] + (webhook?.members ?? [])
    let usual = FunctionOptions()
    if options.timeout != usual.timeout {
      members.append(JSONMember("timeout", .integer(Int64(options.timeout / 1_000))))
    }
    if options.canEvaluate != usual.canEvaluate {
      members.append(JSONMember("can_evaluate", rules.json(options.canEvaluate)))
    }
    if options.isPrivate { members.append(JSONMember("private", .bool(true))) }
    return .object(members)
  }
}

extension TriggerSettings {
  /// An element of the member "triggers".
  var json: JSONValue {
    let usual = TriggerSettings(name, function: function, kind)
    var members = [
      JSONMember("name", .string(name)), JSONMember("type", .string(kind.name)),
      JSONMember("function", .string(function)),
    ]
    switch kind {
    case .database(let trigger): members += trigger.members
    case .authentication(let trigger):
      members.append(JSONMember("operation_type", .string(trigger.operation.rawValue)))
      if let providers = trigger.providers {
        members.append(
          JSONMember("providers", .array(providers.sorted().map { .string($0) })))
      }
    case .scheduled(let schedule): members.append(JSONMember("schedule", .string(schedule.text)))
    }
    if isDisabled { members.append(JSONMember("disabled", .bool(true))) }
    if attemptCountMax != usual.attemptCountMax {
      members.append(JSONMember("attempts", .integer(Int64(attemptCountMax))))
    }
    if onFailure != usual.onFailure {
      members.append(JSONMember("on_failure", .string(onFailure.rawValue)))
    }
    if skipsCatchUp { members.append(JSONMember("skip_catchup_events", .bool(true))) }
    if toleratesLostPosition { members.append(JSONMember("tolerate_resume_errors", .bool(true))) }
    return .object(members)
  }
}

extension DatabaseTrigger {
  fileprivate var members: [JSONMember] {
    var members: [JSONMember] = []
    if !database.isEmpty { members.append(JSONMember("database", .string(database))) }
    members.append(JSONMember("collection", .string(collection)))
    if operations.count < Operation.allCases.count {
      members.append(
        JSONMember(
          "operation_types",
          .array(operations.map(\.rawValue).sorted().map { .string($0) })))
    }
    if let match { members.append(JSONMember("match", ExtendedJSONWriter.json(match))) }
    if !fullDocument { members.append(JSONMember("full_document", .bool(false))) }
    if documentBefore { members.append(JSONMember("full_document_before_change", .bool(true))) }
    if isUnordered { members.append(JSONMember("unordered", .bool(true))) }
    return members
  }
}

extension PushProvider {
  /// An element of the member "push".
  var json: JSONValue {
    .object([JSONMember("service", .string(service))] + webhook.members)
  }
}
#endif
