// Part of bgtask, under the Apache License 2.0; see LICENSE.

//! The declarations of bgtask.h, minor 0, that the model plugin uses. A struct that the host fills and the host table are
//! declared whole: `size_of` is their size.

use std::ffi::c_void;
use std::os::raw::c_char;

pub const OK: i32 = 0;
pub const OUTCOME_SUCCESS: i32 = 1;
pub const OUTCOME_FAILURE: i32 = 2;
pub const OUTCOME_NO_DATA: i32 = 3;
pub const KIND_PROCESSING: u32 = 2;
pub const LOG_INFO: u32 = 2;
pub const NEEDS_NETWORK: u32 = 1;
pub const VOCABULARY_STATUS: u32 = 1;
pub const VOCABULARY_KIND: u32 = 3;
pub const VOCABULARY_EVENT: u32 = 7;
pub const VOCABULARY_EXPIRED: u32 = 9;

pub type Task = u64;
pub type Assertion = u64;
pub type Context = *mut c_void;
pub type Handler = extern "C" fn(Context, *const Host, Task);
pub type ExpirationHandler = extern "C" fn(Context, *const Host, Task, u32);
pub type AssertionHandler = extern "C" fn(Context, *const Host, Assertion, u32);
pub type Visitor = extern "C" fn(Context, *const Host, *const Pending) -> i32;
pub type Release = extern "C" fn(Context);

#[repr(C)]
pub struct Request {
    pub size: u32,
    pub kind: u32,
    pub flags: u32,
    pub strategy: u32,
    pub identifier: *const c_char,
    pub earliest_begin_ns: i64,
    pub payload: *const u8,
    pub payload_length: u64,
    pub title: *const c_char,
    pub subtitle: *const c_char,
    pub resources: u64,
    pub expires_at_ns: i64,
}

#[repr(C)]
pub struct Refusal {
    pub size: u32,
    pub sub_reason: u32,
    pub submission: u64,
    pub text: [c_char; 240],
}

#[repr(C)]
pub struct Pending {
    pub size: u32,
    pub kind: u32,
    pub flags: u32,
    pub strategy: u32,
    pub identifier: *const c_char,
    pub earliest_begin_ns: i64,
    pub payload: *const u8,
    pub payload_length: u64,
    pub title: *const c_char,
    pub subtitle: *const c_char,
    pub resources: u64,
    pub submission: u64,
    pub expires_at_ns: i64,
}

#[repr(C)]
pub struct LaunchInfo {
    pub size: u32,
    pub lane: u32,
    pub cause: u32,
    pub role: u32,
    pub launch: u64,
    pub remaining_ns: u64,
    pub deadline_ns: u64,
    pub grace_ns: u64,
    pub plugin: *const c_char,
    pub identifiers: *const *const c_char,
    pub identifier_count: u64,
    pub supported_resources: u64,
    pub host_name: *const c_char,
    pub host_version: *const c_char,
}

#[repr(C)]
pub struct TaskInfo {
    pub size: u32,
    pub kind: u32,
    pub event: u32,
    pub attempt: u32,
    pub identifier: *const c_char,
    pub payload: *const u8,
    pub payload_length: u64,
    pub submission: u64,
    pub flags: u32,
    pub expiration_reason: u32,
    pub title: *const c_char,
    pub subtitle: *const c_char,
    pub fleet_item: i64,
    pub fence: i64,
}

#[repr(C)]
pub struct Plugin {
    pub size: u32,
    pub reserved: u32,
    pub context: Context,
    pub receive: Option<Handler>,
    pub run_main: Option<extern "C" fn(Context, *const Host)>,
    pub stop: Option<extern "C" fn(Context, *const Host)>,
    pub quiet_ns: u64,
}

#[repr(C)]
pub struct Host {
    pub size: u32,
    pub minor: u32,
    pub launch_info: extern "C" fn(*const Host, *mut LaunchInfo) -> i32,
    pub register_handler: extern "C" fn(
        *const Host,
        *const c_char,
        Option<Handler>,
        Context,
        Option<Release>,
        *mut Refusal,
    ) -> i32,
    pub submit: extern "C" fn(*const Host, *const Request, *mut Refusal) -> i32,
    pub cancel: extern "C" fn(*const Host, *const c_char, *mut Refusal) -> i32,
    pub cancel_all: extern "C" fn(*const Host, *mut Refusal) -> i32,
    pub pending: extern "C" fn(*const Host, Option<Visitor>, Context, *mut Refusal) -> i32,
    pub task_info: extern "C" fn(*const Host, Task, *mut TaskInfo) -> i32,
    pub set_expiration_handler:
        extern "C" fn(*const Host, Task, Option<ExpirationHandler>, Context, Option<Release>) -> i32,
    pub complete: extern "C" fn(*const Host, Task, i32, *const c_char) -> i32,
    pub remaining: extern "C" fn(*const Host) -> u64,
    pub is_expiring: extern "C" fn(*const Host, Task) -> i32,
    pub set_progress: extern "C" fn(*const Host, Task, i64, i64) -> i32,
    pub set_title: extern "C" fn(*const Host, Task, *const c_char, *const c_char) -> i32,
    pub begin_assertion: extern "C" fn(
        *const Host,
        *const c_char,
        Option<AssertionHandler>,
        Context,
        Option<Release>,
        *mut Assertion,
        *mut Refusal,
    ) -> i32,
    pub end_assertion: extern "C" fn(*const Host, Assertion) -> i32,
    pub container_path: extern "C" fn(*const Host, *mut c_char, u64, *mut u64) -> i32,
    pub setting: extern "C" fn(*const Host, *const c_char, *mut c_char, u64, *mut u64) -> i32,
    pub log: extern "C" fn(*const Host, Task, u32, *const c_char),
    pub name: extern "C" fn(*const Host, u32, i64) -> *const c_char,
    pub query: extern "C" fn(*const Host, *const c_char) -> *const c_void,
}

/// The layouts of bgtask.h: a wrong declaration does not compile.
const _: () = {
    assert!(std::mem::size_of::<Request>() == 80);
    assert!(std::mem::size_of::<Refusal>() == 256);
    assert!(std::mem::size_of::<Pending>() == 88);
    assert!(std::mem::size_of::<LaunchInfo>() == 96);
    assert!(std::mem::size_of::<TaskInfo>() == 88);
    assert!(std::mem::size_of::<Plugin>() == 48);
    assert!(std::mem::size_of::<Host>() == 168);
};

/// The ELF note. Its bytes are in the file as they are here; `used` keeps it although no code reads it.
#[repr(C)]
pub struct Note {
    name_size: u32,
    descriptor_size: u32,
    kind: u32,
    owner: [u8; 8],
    abi_major: u32,
    required_minor: u32,
    header_minor: u32,
}

#[used]
#[link_section = ".note.bgtask"]
pub static NOTE: Note = Note {
    name_size: 7,
    descriptor_size: 12,
    kind: 1,
    owner: *b"bgtask\0\0",
    abi_major: 1,
    required_minor: 0,
    header_minor: 0,
};
