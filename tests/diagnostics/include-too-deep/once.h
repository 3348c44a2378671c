#pragma once
#include "once.h"
int once;
