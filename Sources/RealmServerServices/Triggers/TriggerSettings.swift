// SPDX-License-Identifier: Apache-2.0

// The triggers of an app, as its file or a program has them.

#if Server
package import RealmFormats

/// Calls a function when something happens.
package struct TriggerSettings: Hashable, Sendable {
  /// The occasions of a trigger.
  package enum Kind: Hashable, Sendable {
    case database(DatabaseTrigger)
    case authentication(AuthenticationTrigger)
    case scheduled(CronSchedule)

    /// The name in the app's file.
    package var name: String {
      switch self {
      case .database: "database"
      case .authentication: "authentication"
      case .scheduled: "scheduled"
      }
    }
  }

  /// The fate of an event after too many failures.
  package enum FailureRule: String, CaseIterable, Hashable, Sendable {
    /// The trigger stops until the operator resumes it.
    case suspend
    /// The event is left out.
    case skip
  }

  package static let attemptCountRange = 1...1_000

  package var name: String
  /// The function, by its name.
  package var function: String
  package var kind: Kind
  package var isDisabled = false
  package var attemptCountMax = 10
  package var onFailure: FailureRule
  /// Whether what happened while the trigger was disabled or suspended is left out, and missed
  /// runs of a schedule are.
  package var skipsCatchUp = false
  /// Whether the trigger goes on with the present where its history is gone.
  package var toleratesLostPosition = false

  package init(_ name: String, function: String, _ kind: Kind) {
    self.name = name
    self.function = function
    self.kind = kind
    if case .scheduled = kind { onFailure = .skip } else { onFailure = .suspend }
  }

  /// The event about users of the trigger.
  var recordedEvent: AccountEvent.Kind? {
    if case .authentication(let trigger) = kind { trigger.operation } else { nil }
  }

  /// The subject of the trigger's position: that of another subject is not used.
  var subject: String {
    switch kind {
    case .database(let trigger): "database " + trigger.collection
    case .authentication: "authentication"
    case .scheduled: "scheduled"
    }
  }
}

extension [TriggerSettings] {
  /// The events about users of all triggers.
  package var recordedEvents: Set<AccountEvent.Kind> { Set(compactMap(\.recordedEvent)) }
}

/// A trigger on changes of a class.
package struct DatabaseTrigger: Hashable, Sendable {
  /// The kinds of changes of an object.
  package enum Operation: String, CaseIterable, Hashable, Sendable {
    case insert
    case update
    /// Erased and made again in one version.
    case replace
    case delete
  }

  package var database: String
  /// The name of the class.
  package var collection: String
  package var operations = Set(Operation.allCases)
  /// A condition on events, as calls of collections have it; nil for all.
  package var match: BSONValue?
  /// Whether events have the document.
  package var fullDocument = true
  /// Whether events have the document from before.
  package var documentBefore = false
  /// Whether events are delivered beside each other.
  package var isUnordered = false

  package init(_ collection: String, database: String = "") {
    self.collection = collection
    self.database = database
  }
}

/// A trigger on users.
package struct AuthenticationTrigger: Hashable, Sendable {
  package var operation: AccountEvent.Kind
  /// The counted ways to log in; nil for all.
  package var providers: Set<String>?

  package init(_ operation: AccountEvent.Kind, providers: Set<String>? = nil) {
    self.operation = operation
    self.providers = providers
  }
}
#endif
