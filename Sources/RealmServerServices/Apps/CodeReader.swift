// SPDX-License-Identifier: Apache-2.0

// The members "functions", "triggers" and "push" of `app.json`.

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

/// Reads what the app's own code does.
struct CodeReader {
  private static let countMax = 1_000

  let rules: RuleReader
  let support: AppFileSupport

  // MARK: Functions

  /// The member "functions".
  func functions(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> [FunctionSettings]
  {
    var functions: [FunctionSettings] = []
    for (element, path) in try elements(json, "functions", at: path) {
      let object = try ObjectReader(
        element, "functions", at: path,
        keys: ["name", "webhook", "secret", "timeout", "can_evaluate", "private"], support)
      let function = try function(object)
      guard !functions.contains(where: { $0.name == function.name }) else {
        throw object.error("name", "has the function \"\(function.name)\" twice")
      }
      functions.append(function)
    }
    return functions
  }

  private func function(_ object: ObjectReader) throws(AppFileError) -> FunctionSettings {
    let name = try self.name("name", in: object)
    var function = FunctionSettings(name)
    if object["webhook"] != nil {
      function.webhook = try object.webhook()
    } else if object["secret"] != nil {
      throw object.error("secret", "has a \"secret\" without a \"webhook\" in \"functions\"")
    } else if !support.isFunction(name) {
      throw object.error(
        "name",
        "names the function \"\(name)\", which this server does not have: give a \"webhook\"")
    }
    let range = FunctionOptions.timeoutRange
    let seconds = Int(range.lowerBound / 1_000)...Int(range.upperBound / 1_000)
    if let count = try object.integer("timeout", in: seconds) {
      function.options.timeout = Milliseconds(count) * 1_000
    }
    function.options.isPrivate = try object.flag("private") ?? false
    if let json = object["can_evaluate"] {
      function.options.canEvaluate = try rules.expression(
        json, at: object.path + [.key("can_evaluate")])
      guard !function.options.canEvaluate.reads(.partition) else {
        throw object.error(
          "can_evaluate", "has a \"can_evaluate\" about %%partition, which calls have not")
      }
    }
    return function
  }

  // MARK: Triggers

  private static let triggerKeys: Set<String> = [
    "name", "type", "function", "disabled", "attempts", "on_failure", "skip_catchup_events",
    "tolerate_resume_errors",
  ]

  private enum TriggerType: String, CaseIterable {
    case database
    case authentication
    case scheduled

    var keys: Set<String> {
      switch self {
      case .database:
        [
          "database", "collection", "operation_types", "match", "full_document",
          "full_document_before_change", "unordered",
        ]
      case .authentication: ["operation_type", "providers"]
      case .scheduled: ["schedule"]
      }
    }
  }

  /// The member "triggers".
  ///
  /// - Parameter functions: The functions of the file.
  func triggers(
    _ json: JSONValue, at path: [JSONStep], _ functions: [FunctionSettings]
  ) throws(AppFileError) -> [TriggerSettings] {
    var triggers: [TriggerSettings] = []
    for (element, path) in try elements(json, "triggers", at: path) {
      let all = TriggerType.allCases.reduce(Self.triggerKeys) { $0.union($1.keys) }
      let head = try ObjectReader(element, "triggers", at: path, keys: all, support)
      guard let type = try head.choice("type", TriggerType.self) else { throw head.missing("type") }
      let object = try ObjectReader(
        element, "triggers", at: path, keys: Self.triggerKeys.union(type.keys), support)
      let trigger = try trigger(object, type, functions)
      guard !triggers.contains(where: { $0.name == trigger.name }) else {
        throw object.error("name", "has the trigger \"\(trigger.name)\" twice")
      }
      triggers.append(trigger)
    }
    guard triggers.count <= TriggerService.countMax else {
      throw AppFileError("has more than \(TriggerService.countMax) triggers", at: path)
    }
    return triggers
  }

  private func trigger(
    _ object: ObjectReader, _ type: TriggerType, _ functions: [FunctionSettings]
  ) throws(AppFileError) -> TriggerSettings {
    let function = try name("function", in: object)
    guard functions.contains(where: { $0.name == function }) || support.isFunction(function) else {
      throw object.error(
        "function", "names the function \"\(function)\", which \"functions\" does not have")
    }
    let kind: TriggerSettings.Kind
    switch type {
    case .database: kind = .database(try database(object))
    case .authentication: kind = .authentication(try authentication(object))
    case .scheduled: kind = .scheduled(try schedule(object))
    }
    var trigger = TriggerSettings(try name("name", in: object), function: function, kind)
    trigger.isDisabled = try object.flag("disabled") ?? false
    if let count = try object.integer("attempts", in: TriggerSettings.attemptCountRange) {
      trigger.attemptCountMax = count
    }
    if let rule = try object.choice("on_failure", TriggerSettings.FailureRule.self) {
      trigger.onFailure = rule
    }
    trigger.skipsCatchUp = try object.flag("skip_catchup_events") ?? false
    trigger.toleratesLostPosition = try object.flag("tolerate_resume_errors") ?? false
    return trigger
  }

  private func database(_ object: ObjectReader) throws(AppFileError) -> DatabaseTrigger {
    guard let collection = try object.text("collection") else {
      throw object.missing("collection")
    }
    var trigger = DatabaseTrigger(collection, database: try object.text("database") ?? "")
    if let names = try object.texts("operation_types") {
      var operations: Set<DatabaseTrigger.Operation> = []
      for name in names {
        guard let operation = DatabaseTrigger.Operation(rawValue: name.lowercased()) else {
          let known = DatabaseTrigger.Operation.allCases.map(\.rawValue).joined(separator: ", ")
          throw object.error(
            "operation_types", "has an \"operation_types\" that is not one of \(known)")
        }
        operations.insert(operation)
      }
      trigger.operations = operations
    }
    if let json = object["match"] {
      guard let value = try? ExtendedJSONReader.value(json) else {
        throw object.error("match", "has a \"match\" that is no extended JSON")
      }
      do throws(DocumentError) {
        _ = try DocumentQuery(value)
      } catch {
        throw object.error("match", "has a \"match\" that is no condition: \(error)")
      }
      trigger.match = value
    }
    trigger.fullDocument = try object.flag("full_document") ?? true
    trigger.documentBefore = try object.flag("full_document_before_change") ?? false
    trigger.isUnordered = try object.flag("unordered") ?? false
    return trigger
  }

  private func authentication(_ object: ObjectReader) throws(AppFileError) -> AuthenticationTrigger
  {
    guard let name = try object.text("operation_type") else {
      throw object.missing("operation_type")
    }
    guard let operation = AccountEvent.Kind(rawValue: name.lowercased()) else {
      let known = AccountEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw object.error(
        "operation_type", "has an \"operation_type\" that is not one of \(known)")
    }
    return AuthenticationTrigger(
      operation, providers: try object.texts("providers").map { Set($0) })
  }

  private func schedule(_ object: ObjectReader) throws(AppFileError) -> CronSchedule {
    guard let text = try object.text("schedule") else { throw object.missing("schedule") }
    do throws(CronError) {
      return try CronSchedule(text)
    } catch {
      throw object.error("schedule", "has a \"schedule\" that is none: \(error)")
    }
  }

  // MARK: Push messages

  /// The member "push".
  func push(_ json: JSONValue, at path: [JSONStep]) throws(AppFileError) -> [PushProvider] {
    var providers: [PushProvider] = []
    for (element, path) in try elements(json, "push", at: path) {
      let object = try ObjectReader(
        element, "push", at: path, keys: ["service", "webhook", "secret"], support)
      let service = try name("service", in: object)
      guard !providers.contains(where: { $0.service == service }) else {
        throw object.error("service", "has the service \"\(service)\" twice")
      }
      providers.append(PushProvider(service, try object.webhook()))
    }
    return providers
  }

  // MARK: Parts

  private func elements(
    _ json: JSONValue, _ name: String, at path: [JSONStep]
  ) throws(AppFileError) -> [(JSONValue, [JSONStep])] {
    guard let elements = json.array, elements.count <= Self.countMax else {
      throw AppFileError("needs \"\(name)\" as an array of \(Self.countMax) at most", at: path)
    }
    return elements.enumerated().map { ($1, path + [.index($0)]) }
  }

  private func name(_ key: String, in object: ObjectReader) throws(AppFileError) -> String {
    guard let text = try object.text(key) else { throw object.missing(key) }
    guard FunctionSettings.isName(text) else {
      throw object.error(
        key, "has a \"\(key)\" that is no name: 1 to 128 ASCII characters without spaces")
    }
    return text
  }
}
#endif
