// SPDX-License-Identifier: Apache-2.0

// The errors that are not mistakes of the program: files, disks, schemas.

public import Foundation

extension Realm {
  /// An error of opening or writing a realm.
  ///
  /// ```swift
  /// do {
  ///   let realm = try Realm(configuration: configuration)
  /// } catch Realm.Error.schemaMismatch {
  ///   // ask the user to update the program
  /// }
  /// ```
  public struct Error: Swift.Error, Sendable {
    /// The kinds of errors.
    public enum Code: Int, Sendable {
      /// An error without a code of its own.
      case fail = 1
      /// Reading or writing the file failed.
      case fileAccess = 2
      /// The program may not read or write the file.
      case filePermissionDenied = 3
      /// A file exists where a copy should be written.
      case fileExists = 4
      /// There is no file, and the configuration is read-only.
      case fileNotFound = 5
      /// The file is in an older format and must not be upgraded.
      case fileFormatUpgradeRequired = 6
      /// Another process uses the file with another version of the lock file.
      case incompatibleLockFile = 8
      /// The file does not fit the address space of the process.
      case addressSpaceExhausted = 9
      /// The program's classes differ from those in the file.
      case schemaMismatch = 10
      /// The file is open and must not be.
      case alreadyOpen = 12
      /// A value that the program gave is not valid.
      case invalidInput = 13
      /// The disk is full.
      case outOfDiskSpace = 14
      /// Another session uses the file differently.
      case incompatibleSession = 15
      /// The file is in a format that is too new, or too old.
      case unsupportedFileFormatVersion = 16
      /// More than one process tries to synchronize the file.
      case multipleSyncAgents = 17
      /// A subscription was refused.
      case subscriptionFailed = 18
      /// An operation on the file, or on one beside it, failed.
      case fileOperationFailed = 19
      /// The file is not a database, or is damaged.
      case invalidDatabase = 20
      /// The file belongs to a synchronized client or a server.
      case incompatibleHistories = 21
      /// An object was written that no subscription covers.
      case noSubscriptionForWrite = 22
    }

    /// The kind of the error.
    public let code: Code
    /// The problem, its location, and the remedy.
    public let localizedDescription: String
    /// The file, if the error concerns one.
    public let fileURL: URL?
    /// The system's error number, if a system call failed.
    let systemCode: Int32?

    init(_ code: Code, message: String, path: String? = nil, systemCode: Int32? = nil) {
      self.code = code
      localizedDescription = message
      fileURL = path.map { URL(fileURLWithPath: $0) }
      self.systemCode = systemCode
    }

    /// Creates an error; the message is under `NSLocalizedDescriptionKey`, the path under
    /// `NSFilePathErrorKey`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
      self.init(
        code, message: userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)",
        path: userInfo[NSFilePathErrorKey] as? String)
    }

    /// The message and the path under the keys of `NSError`.
    public var userInfo: [String: Any] { errorUserInfo }
  }
}

extension Realm.Error: CustomNSError, LocalizedError, CustomStringConvertible {
  /// `io.realm`.
  public static var errorDomain: String { "io.realm" }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// The message and the path under the keys of `NSError`.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
    information[NSFilePathErrorKey] = fileURL?.path
    return information
  }
  /// The problem, its location, and the remedy.
  public var errorDescription: String? { localizedDescription }
  /// The problem, its location, and the remedy.
  public var description: String { localizedDescription }
}

extension Realm.Error: Equatable {
  /// Whether both have the same code.
  public static func == (left: Realm.Error, right: Realm.Error) -> Bool { left.code == right.code }
}

/// Whether both errors have the same code and are of the same domain.
public func == (left: any Swift.Error, right: any Swift.Error) -> Bool {
  left._code == right._code && left._domain == right._domain
}

extension Realm.Error {
  /// Lets `catch` match an error of the same code.
  public static func ~= (pattern: Realm.Error, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == pattern.code
  }

  /// A call of Realm failed without a more specific code.
  public static let callFailed = Realm.Error(.fail, message: "Realm call failed")
  /// See `Code.fail`.
  public static let fail = Code.fail
  /// See `Code.fileAccess`.
  public static let fileAccess = Code.fileAccess
  /// See `Code.filePermissionDenied`.
  public static let filePermissionDenied = Code.filePermissionDenied
  /// See `Code.fileExists`.
  public static let fileExists = Code.fileExists
  /// See `Code.fileNotFound`.
  public static let fileNotFound = Code.fileNotFound
  /// See `Code.fileFormatUpgradeRequired`.
  public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
  /// See `Code.incompatibleLockFile`.
  public static let incompatibleLockFile = Code.incompatibleLockFile
  /// See `Code.addressSpaceExhausted`.
  public static let addressSpaceExhausted = Code.addressSpaceExhausted
  /// See `Code.schemaMismatch`.
  public static let schemaMismatch = Code.schemaMismatch
  /// See `Code.alreadyOpen`.
  public static let alreadyOpen = Code.alreadyOpen
  /// See `Code.invalidInput`.
  public static let invalidInput = Code.invalidInput
  /// See `Code.outOfDiskSpace`.
  public static let outOfDiskSpace = Code.outOfDiskSpace
  /// See `Code.incompatibleSession`.
  public static let incompatibleSession = Code.incompatibleSession
  /// See `Code.unsupportedFileFormatVersion`.
  public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
  /// See `Code.multipleSyncAgents`.
  public static let multipleSyncAgents = Code.multipleSyncAgents
  /// See `Code.subscriptionFailed`.
  public static let subscriptionFailed = Code.subscriptionFailed
  /// See `Code.fileOperationFailed`.
  public static let fileOperationFailed = Code.fileOperationFailed
  /// See `Code.invalidDatabase`.
  public static let invalidDatabase = Code.invalidDatabase
  /// See `Code.incompatibleHistories`.
  public static let incompatibleHistories = Code.incompatibleHistories
  /// See `Code.noSubscriptionForWrite`.
  public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
}

extension Realm.Error.Code {
  /// Lets `catch Realm.Error.fileNotFound` match by code.
  public static func ~= (pattern: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == pattern
  }
}
