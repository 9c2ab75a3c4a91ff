// SPDX-License-Identifier: Apache-2.0

// Tokens as Combine's cancellables.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension NotificationToken: Cancellable {
  /// Ends the observation at once, on whatever thread, as cancellables do.
  public func cancel() { endNow() }
}
#endif
