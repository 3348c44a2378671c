#pragma once
#include "once.h"
constant int once = 1;
