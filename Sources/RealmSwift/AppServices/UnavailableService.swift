// SPDX-License-Identifier: Apache-2.0

// Services that this release declares and does not have.

#if Sync
/// The error of services that this release does not have yet.
enum UnavailableService {
  static func error(_ name: String) -> AppError {
    AppError(
      .notCallable,
      "\(name) is declared for programs that name it, and not available in this release.")
  }
}
#endif
