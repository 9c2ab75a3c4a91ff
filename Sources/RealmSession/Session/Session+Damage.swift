// SPDX-License-Identifier: Apache-2.0

// Reads that meet damage where the API cannot throw. They trap, unless the error can be reported:
// to the snapshot whose body reads, or to `onDamage`. Then they return a value of the type.

package import RealmStorage

extension Session {
  /// The value of `body`; `placeholder` if it throws, after the error was reported. Traps if it
  /// cannot be reported. Costs as much as `body`: nothing is left of the closures.
  ///
  /// A closure that contains a call is taken for one that throws, because of the `try`; use a loop.
  @inline(__always)
  package final func reading<R>(
    _ body: @autoclosure () throws(StorageError) -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    do throws(StorageError) { return try body() } catch {
      meet(error)
      return placeholder()
    }
  }

  /// The value of `body`. Reports damage and traps if it throws, as nothing could be returned.
  @inline(__always)
  package final func required<R>(_ body: @autoclosure () throws(StorageError) -> R) -> R {
    do throws(StorageError) { return try body() } catch { reportAndStop(error) }
  }

  @inline(never)
  private final func reportAndStop(_ error: StorageError) -> Never {
    if reportsDamage, error.isDamage, shared.noteDamage(error) { report(error) }
    stop(error)
  }

  /// Reports an error; traps if there is no handler.
  @inline(never)
  package final func meet(_ error: StorageError) {
    guard error.isDamage else { stop(error) }
    if let record = DamageRecord.of(self) { return record.note(error) }
    guard reportsDamage else { stop(error) }
    if shared.noteDamage(error) { report(error) }
  }

  /// Whether reads go on where they meet damage, for the caller.
  package final var takesDamage: Bool { DamageRecord.of(self) != nil || reportsDamage }

  /// Whether damage was met, so that what the caller holds may be a placeholder.
  package final var hasMetDamage: Bool {
    if let record = DamageRecord.of(self) { return record.hasDamage }
    return reportsDamage && shared.damage != nil
  }

  /// Refuses a write after placeholders were given out.
  package final func requireNoDamage() throws(StorageError) {
    if reportsDamage, let damage = shared.damage { throw damage }
  }
}

extension StorageError {
  /// Whether the bytes that were read are to blame, and not the program, the system or a limit.
  var isDamage: Bool {
    switch self {
    case .corrupted, .system, .encryptionUnavailable: true
    default: false
    }
  }
}
