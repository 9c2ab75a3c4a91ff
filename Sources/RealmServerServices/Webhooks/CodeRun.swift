// SPDX-License-Identifier: Apache-2.0

// Runs of an app's own code, for metrics.

#if Server
package import RealmSyncProtocol

/// A run of code of an app, with its outcome.
package struct CodeRun: Hashable, Sendable {
  /// The code that ran.
  package enum Kind: Hashable, Sendable {
    /// A call of a function, by its name.
    case function(String)
    /// An attempt of a trigger at an event, by the trigger's name.
    case trigger(String)
    /// A request to a webhook, by its event: "function", "push", "login" and so on.
    case webhook(String)
  }

  /// How a run ended.
  package enum Outcome: String, Hashable, Sendable {
    case done
    case failed
    /// An event was left out after its last attempt.
    case skipped
  }

  package let app: String
  package let kind: Kind
  package let outcome: Outcome
  /// How long it took.
  package let time: Milliseconds
  /// Whether it did not end in its time.
  package var isLate = false
  /// Whether the code has answered, and refuses what it was asked.
  package var isRefusal = false

  /// What the operator should know of it; nil if it is no matter, or the caller's.
  package var warning: String? {
    switch kind {
    case .webhook(let event) where outcome == .failed && !isRefusal:
      "A webhook of the app \(app) failed for \(event): it does not answer in its time, or not "
        + "with the status 200"
    case .function(let name) where isLate:
      "The function \(name) of the app \(app) did not end in its time"
    default: nil
    }
  }
}
#endif
