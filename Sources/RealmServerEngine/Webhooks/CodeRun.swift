// SPDX-License-Identifier: Apache-2.0

// Runs of an app's own code, for metrics.

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
}
