// SPDX-License-Identifier: Apache-2.0

// The mode of an app: whether rules apply.

#if Server
/// The member "mode" of `app.json`.
package enum AppStage: String, CaseIterable, Hashable, Sendable {
  /// Every user may do everything.
  case development
  /// What no rule allows is denied.
  case production
}
#endif
