// SPDX-License-Identifier: Apache-2.0

// Faults that a storm has to find.

#if Server
import ArgumentParser

/// What a device, or the database, does wrong on purpose.
enum SpoilKind: String, CaseIterable, ExpressibleByArgument {
  /// It has another value in an object, where sync does not see it.
  case differs
  /// It answers no more.
  case stuck
  /// It says that the server has an object that the server has never seen.
  case lost
  /// It says so at the end of an object that a backup has undone: a device may be slow, and this is
  /// no fault.
  case late
  /// It makes a mark twice, and says so once.
  case twice
  /// The database does not wait for its standby, and fails over.
  case asynchronous
}
#endif
